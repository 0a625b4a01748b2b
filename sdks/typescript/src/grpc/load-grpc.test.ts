// The packages of gRPC are the user's to install: where they are missing, the error names the command.
import { expect, test } from "vitest"
import { GrpcNotInstalledError, load } from "./load-grpc.ts"

const missing = () => Promise.reject(Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" }))
const broken = () => Promise.reject(new SyntaxError("half a file"))

test("C-115: without its packages gRPC says how to install them", async () => {
  await expect(load(missing, missing)).rejects.toThrow(GrpcNotInstalledError)
  await expect(load(missing, missing)).rejects.toThrow("npm install @grpc/grpc-js @bufbuild/protobuf")
})

test("a package that is there and broken says so itself", async () => {
  await expect(load(broken, missing)).rejects.toThrow("half a file")
})
