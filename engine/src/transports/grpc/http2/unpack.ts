// Messages that a caller compresses, which the usual clients do where they are told to.
import { gunzipSync, inflateSync } from "node:zlib"
import { badRequest, EngineError } from "../../../support/errors.ts"

type Unpack = (message: Buffer, maxOutputLength: number) => Buffer

const UNPACK = { gzip: gunzipSync, deflate: inflateSync }

/** By the encoding that the head of the call names. No message becomes larger than it may be. */
export function unpackerOf(encoding: string | string[] | undefined): Unpack {
  return (message, maxOutputLength) => {
    if (encoding === undefined || encoding === "identity")
      throw badRequest("a message is compressed, and grpc-encoding does not say how")
    if (encoding !== "gzip" && encoding !== "deflate")
      throw new EngineError("method-not-allowed", "messages are taken as gzip, deflate or identity")
    try {
      return UNPACK[encoding](message, { maxOutputLength })
    } catch (error) {
      throw refusalOf(error, maxOutputLength)
    }
  }
}

const refusalOf = (error: unknown, most: number): EngineError =>
  (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE"
    ? new EngineError("payload-too-large", `a message is larger than ${most} bytes when it is unpacked`)
    : badRequest("a message cannot be unpacked")
