import { expect, test } from "vitest"
import { fullTime } from "../../kit/time.tsx"
import { readable } from "./readable.ts"

test("times are said as the reader's clock has them, and the words are a sentence", () => {
  const at = "2026-11-15T19:39:07.840Z"
  expect(readable(`it is not to begin before ${at}`)).toBe(`It is not to begin before ${fullTime(at)}.`)
  expect(readable("paused: disk is full!")).toBe("Paused: disk is full!")
})
