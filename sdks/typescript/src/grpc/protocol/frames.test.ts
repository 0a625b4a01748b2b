// Messages arrive in pieces of any size.
import { expect, test } from "vitest"
import { FrameReader, frameOf } from "./frames.ts"

const MOST = 100_000
const texts = ["", "a", "b".repeat(300), "", "c".repeat(70_000)]
const sent = Buffer.concat(texts.map((text) => frameOf(Buffer.from(text))))

test.each([1, 2, 4, 5, 6, 7, 1_000, sent.length])(
  "messages in pieces of %i bytes come out whole and in order",
  (size) => {
    const reader = new FrameReader(MOST)
    const read: string[] = []
    for (let at = 0; at < sent.length; at += size)
      for (const message of reader.push(sent.subarray(at, at + size))) read.push(message.toString())
    expect(read).toEqual(texts)
  },
)

test("a compressed message is refused where nothing unpacks it", () => {
  expect(() => new FrameReader(MOST).push(Buffer.from([1, 0, 0, 0, 1, 7]))).toThrow("compressed")
})

test("a compressed message is what it is unpacked to, among others that are not", () => {
  const reader = new FrameReader(MOST, (message) => Buffer.from(`unpacked ${message}`))
  const packed = frameOf(Buffer.from("b"))
  packed[0] = 1
  const read = reader.push(Buffer.concat([frameOf(Buffer.from("a")), packed, frameOf(Buffer.from("c"))]))
  expect(read.map(String)).toEqual(["a", "unpacked b", "c"])
})

test("a message that is too large is refused before it has arrived", () => {
  expect(() => new FrameReader(MOST).push(Buffer.from([0, 0xff, 0xff, 0xff, 0xff]))).toThrow("larger than")
})
