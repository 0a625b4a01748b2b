// Messages of any bytes: each is read, or is refused as one that cannot be read.
import * as proto from "@millrace/sdk/proto"
import fc from "fast-check"
import { expect, test } from "vitest"
import { tolerant, Undecodable } from "./undecodable.ts"

const methods = Object.entries(tolerant(proto.WorkflowEngineService)).map(([name, method]) => [name, method] as const)

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

test.each(methods)(
  "SEC-33: %s is read from any bytes, or refused as a bad request",
  (_, { requestDeserialize, requestSerialize }) => {
    fc.assert(
      fc.property(bytes, (sent) => {
        const read = requestDeserialize(sent) as unknown
        if (read instanceof Undecodable)
          expect([read.error.code, read.error.message.length < 300]).toEqual(["bad-request", true])
        // What was read can be written, and is then read as the same.
        else expect(requestDeserialize(Buffer.from(requestSerialize(read as never)))).toEqual(read)
      }),
      { numRuns: 400 },
    )
  },
)
