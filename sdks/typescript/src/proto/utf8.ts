// Text in messages: read as UTF-8, and refused where it is none. TextDecoder would put U+FFFD for what it cannot read, and takes five
// times as long for the short strings that messages have.
import { isUtf8 } from "node:buffer"
import { BinaryReader } from "@bufbuild/protobuf/wire"

/** In place of the bytes themselves, for what reads a message: the generated stubs take either. */
export const strictReader = (bytes: Buffer): BinaryReader =>
  new BinaryReader(bytes, (text) => utf8Text(text as Buffer, 0, text.length))

export function utf8Text(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString("utf8", start, end)
  // What stands for bytes that cannot be read may have been sent as such.
  if (text.includes("\ufffd") && !isUtf8(bytes.subarray(start, end))) throw new RangeError("a text is not UTF-8")
  return text
}
