// Messages arrive in pieces of any size.
import { expect, test } from "vitest"
import { FrameReader, frameOf } from "./frames.ts"

const MOST = 100_000
const texts = ["", "a", "b".repeat(300), "", "c".repeat(70_000)]
const sent = Buffer.concat(texts.map((text) => frameOf(Buffer.from(text))))

function allOf(reader: FrameReader): string[] {
  const read: string[] = []
  for (let next = reader.next(MOST); next !== undefined; next = reader.next(MOST)) read.push(String(next))
  return read
}

const packedFrame = (text: string): Buffer => {
  const frame = frameOf(Buffer.from(text))
  frame[0] = 1
  return frame
}

test.each([1, 2, 4, 5, 6, 7, 1_000, sent.length])(
  "messages in pieces of %i bytes come out whole and in order",
  (size) => {
    const reader = new FrameReader()
    const read: string[] = []
    for (let at = 0; at < sent.length; at += size) {
      reader.push(sent.subarray(at, at + size))
      read.push(...allOf(reader))
    }
    expect(read).toEqual(texts)
  },
)

test("a compressed message is refused where nothing unpacks it", () => {
  const reader = new FrameReader()
  reader.push(packedFrame("x"))
  expect(() => reader.next(MOST)).toThrow("compressed")
})

test("a compressed message is what it is unpacked to, among others that are not", () => {
  const reader = new FrameReader((message) => Buffer.from(`unpacked ${message}`))
  reader.push(Buffer.concat([frameOf(Buffer.from("a")), packedFrame("b"), frameOf(Buffer.from("c"))]))
  expect(allOf(reader)).toEqual(["a", "unpacked b", "c"])
})

test("SEC-32: a message is unpacked when it is asked for, and no other with it", () => {
  const unpacked: string[] = []
  const reader = new FrameReader((message) => {
    unpacked.push(String(message))
    return message
  })
  reader.push(Buffer.concat([packedFrame("a"), packedFrame("b")]))
  expect(unpacked).toEqual([])
  reader.next(MOST)
  expect(unpacked).toEqual(["a"])
})

test("a message that is too large is refused before it has arrived", () => {
  const reader = new FrameReader()
  reader.push(Buffer.from([0, 0xff, 0xff, 0xff, 0xff]))
  expect(() => reader.next(MOST)).toThrow("larger than")
})
