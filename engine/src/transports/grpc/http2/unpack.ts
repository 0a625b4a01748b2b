// Messages that a caller compresses, which the usual clients do where they are told to.
import { gunzipSync, inflateSync } from "node:zlib"
import { Code, FrameFault } from "@millrace/sdk/grpc-protocol"

type Unpack = (message: Buffer, maxOutputLength: number) => Buffer

const UNPACK = { gzip: gunzipSync, deflate: inflateSync }

/** By the encoding that the head of the call names. No message becomes larger than it may be. */
export function unpackerOf(encoding: string | string[] | undefined): Unpack {
  return (message, maxOutputLength) => {
    if (encoding === undefined || encoding === "identity")
      throw new FrameFault(Code.INVALID_ARGUMENT, "a message is compressed, and grpc-encoding does not say how")
    if (encoding !== "gzip" && encoding !== "deflate")
      throw new FrameFault(Code.UNIMPLEMENTED, "messages are taken as gzip, deflate or identity")
    try {
      return UNPACK[encoding](message, { maxOutputLength })
    } catch (error) {
      throw faultOf(error, maxOutputLength)
    }
  }
}

const faultOf = (error: unknown, most: number): FrameFault =>
  (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE"
    ? new FrameFault(Code.RESOURCE_EXHAUSTED, `a message is larger than ${most} bytes when it is unpacked`)
    : new FrameFault(Code.INVALID_ARGUMENT, "a message cannot be unpacked")
