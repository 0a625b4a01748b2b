// Ids that are made of names: the same as other languages make.
import { expect, test } from "vitest"
import { uuidV5 } from "./uuid-v5.ts"

test("F-15: the id of a name in the namespace of URLs is the one that Python's uuid5 makes", () => {
  expect(uuidV5("https://www.example.com/")).toBe("3d3ed9d2-aa3d-5fa6-90e8-ed662e90f559")
  expect(uuidV5("payment.initiated:3:42")).toBe("98cbd923-3602-5027-8839-f71e8375f762")
})
