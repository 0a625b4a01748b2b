// The generated types of the wire are fresh; `npm run generate` writes them.
import { expect, test } from "vitest"
import { wireTypes } from "./wire/wire-types.ts"

test("the SDK's types of the wire are what the contract says", async () => {
  await expect(wireTypes()).toMatchFileSnapshot("../sdks/typescript/src/generated/wire.ts")
})
