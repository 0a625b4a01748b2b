// grpc-timeout, as clients write it.
import { expect, test } from "vitest"
import { timeoutMs } from "./timeout.ts"

test.each([
  ["1H", 3_600_000],
  ["2M", 120_000],
  ["3S", 3_000],
  ["50m", 50],
  ["1500u", 2],
  ["99999999n", 100],
  ["0m", 0],
  ["99999999H", 2 ** 31 - 1],
  ["", undefined],
  ["5", undefined],
  ["-1m", undefined],
  ["123456789m", undefined],
  ["1m, 2m", undefined],
])("%s is %s ms", (header, ms) => {
  expect(timeoutMs(header)).toBe(ms)
})
