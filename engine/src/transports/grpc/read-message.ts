// Reads the messages of a method out of their bytes.
import { type ServiceMethod, strictReader } from "@millrace/sdk/proto"
import { badRequest } from "../../support/errors.ts"
import { safeText } from "../../support/redact.ts"

/** What a server asks of a method. */
export type Method<Request, Response> = Pick<
  ServiceMethod<Request, Response>,
  "path" | "requestDeserialize" | "responseSerialize"
>

/** Refuses what is no message of this method as a bad request. */
export function readMessage<Request>({ requestDeserialize }: Method<Request, never>, bytes: Buffer): Request {
  try {
    return requestDeserialize(strictReader(bytes))
  } catch (error) {
    const why = error instanceof Error ? safeText(error.message).slice(0, 200) : "it is not of its type"
    throw badRequest(`the message cannot be read: ${why}`)
  }
}
