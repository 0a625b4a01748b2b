// The package that gRPC needs is the user's to install: where it is missing, the error names the command.
import { expect, test } from "vitest"
import { GrpcNotInstalledError, load } from "./load-proto.ts"

const missing = () => Promise.reject(Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" }))
const broken = () => Promise.reject(new SyntaxError("half a file"))

test("C-115: without its package gRPC says how to install it", async () => {
  await expect(load(missing)).rejects.toThrow(GrpcNotInstalledError)
  await expect(load(missing)).rejects.toThrow("npm install @bufbuild/protobuf")
})

test("a package that is there and broken says so itself", async () => {
  await expect(load(broken)).rejects.toThrow("half a file")
})
