// Messages arrive in pieces of any size.
import { expect, test } from "vitest"
import { FrameReader, frameOf } from "./frames.ts"

const texts = ["", "a", "b".repeat(300), "", "c".repeat(70_000)]
const sent = Buffer.concat(texts.map((text) => frameOf(Buffer.from(text))))

test.each([1, 2, 4, 5, 6, 7, 1_000, sent.length])(
  "messages in pieces of %i bytes come out whole and in order",
  (size) => {
    const reader = new FrameReader()
    const read: string[] = []
    for (let at = 0; at < sent.length; at += size)
      for (const message of reader.push(sent.subarray(at, at + size))) read.push(message.toString())
    expect(read).toEqual(texts)
  },
)

test("a compressed message is refused, and so is one that is too large, before it has arrived", () => {
  expect(() => new FrameReader().push(Buffer.from([1, 0, 0, 0, 1]))).toThrow("compressed")
  expect(() => new FrameReader().push(Buffer.from([0, 0xff, 0xff, 0xff, 0xff]))).toThrow("larger than")
})
