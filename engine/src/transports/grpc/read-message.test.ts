// Messages of any bytes: each is read, or is refused as one that cannot be read.
import * as proto from "@millrace/sdk/proto"
import fc from "fast-check"
import { expect, test } from "vitest"
import { EngineError } from "../../support/errors.ts"
import { type Method, readMessage } from "./read-message.ts"

type AnyMethod = Method<object, never> & { readonly requestSerialize: (message: object) => Buffer }

const methods = Object.entries(proto.WorkflowEngineService).map(
  ([name, method]) => [name, method as unknown as AnyMethod] as const,
)

/** The message, or what it is refused with. */
function readOrRefused(method: AnyMethod, bytes: Buffer): object {
  try {
    return readMessage(method, bytes)
  } catch (error) {
    return error as object
  }
}

/** Fields as a hostile client would write them: any number, any wire type, lengths that are too long. */
const field = fc
  .record({
    number: fc.nat(120),
    type: fc.nat(7),
    body: fc.uint8Array({ maxLength: 12 }),
    length: fc.option(fc.nat(300), { freq: 4 }),
  })
  .map(({ number, type, body, length }) => {
    const tag = number * 8 + type
    return Buffer.from([(tag & 127) | 128, tag >> 7, ...(type === 2 ? [(length ?? body.length) & 127] : []), ...body])
  })
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 64 }).map((one) => Buffer.from(one)),
  fc.array(field, { maxLength: 6 }).map((fields) => Buffer.concat(fields)),
)

test.each(methods)("SEC-33: %s is read from any bytes, or refused as a bad request", (_, method) => {
  fc.assert(
    fc.property(bytes, (sent) => {
      const read = readOrRefused(method, sent)
      if (read instanceof Error) {
        expect(read).toBeInstanceOf(EngineError)
        expect(read).toMatchObject({ code: "bad-request" })
        expect(read.message.length).toBeLessThan(300)
      }
      // What was read can be written, and is then read as the same.
      else expect(readMessage(method, method.requestSerialize(read))).toEqual(read)
    }),
    { numRuns: 400 },
  )
})
