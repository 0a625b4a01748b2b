// Files that two packages have, because neither may import the other: they stay equal.
import { expect, test } from "vitest"
import { read } from "./files.ts"

test.each([["engine/src/model/definitions/closest-name.ts", "sdks/typescript/src/calls/closest-name.ts"]])(
  "%s is also %s, to the letter",
  (one, other) => {
    expect(read(other), "change both").toBe(read(one))
  },
)
