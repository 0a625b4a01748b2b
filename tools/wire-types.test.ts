// The generated types and routes of the wire are fresh; `npm run generate` writes them.
import { expect, test } from "vitest"
import {
  goErrorCodes,
  goWireTypes,
  sdkVersion,
  wireFields,
  wireKinds,
  wireRoutes,
  wireTypes,
} from "./wire/wire-types.ts"

test("the SDK's types of the wire are what the contract says", async () => {
  await expect(wireTypes()).toMatchFileSnapshot("../sdks/typescript/src/generated/wire.ts")
})

test("the SDK's routes are those of the contract", async () => {
  await expect(wireRoutes()).toMatchFileSnapshot("../sdks/typescript/src/generated/routes.ts")
})

test("the Go SDK's types of the wire are what the contract says", async () => {
  await expect(goWireTypes()).toMatchFileSnapshot("../sdks/go/millrace/wire_gen.go")
})

test("the Go SDK's error codes are those of the catalogue", async () => {
  await expect(goErrorCodes()).toMatchFileSnapshot("../sdks/go/millrace/codes_gen.go")
})

test("W-06: the fields that the SDK lets through are those of the contract", async () => {
  await expect(wireFields()).toMatchFileSnapshot("../sdks/typescript/src/generated/fields.ts")
})

test("C-104: the kinds that the SDK lets through over gRPC are those of the contract", async () => {
  await expect(wireKinds()).toMatchFileSnapshot("../sdks/typescript/src/generated/kinds.ts")
})

test("the version that the SDK tells is that of its package", async () => {
  await expect(sdkVersion()).toMatchFileSnapshot("../sdks/typescript/src/generated/version.ts")
})
