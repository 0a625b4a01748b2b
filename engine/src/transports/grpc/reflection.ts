// The reflection service of grpc: which services there are, and the descriptions of their messages, out of the contract's own image.
import { readFileSync } from "node:fs"
import { type handleBidiStreamingCall, status } from "@grpc/grpc-js"
import type { ServerReflectionRequest, ServerReflectionResponse } from "@millrace/sdk/proto"
import { type DescriptorFile, readDescriptors } from "./descriptors.ts"

/** Put there by the build. */
const IMAGE = new URL("../../../contracts/services.binpb", import.meta.url)

type Reply = Pick<
  ServerReflectionResponse,
  "fileDescriptorResponse" | "listServicesResponse" | "allExtensionNumbersResponse" | "errorResponse"
>

const NOTHING: Reply = {
  fileDescriptorResponse: undefined,
  listServicesResponse: undefined,
  allExtensionNumbersResponse: undefined,
  errorResponse: undefined,
}

/** Both versions of the service speak alike. */
export function reflectionOf(
  image: Uint8Array = readFileSync(IMAGE),
): handleBidiStreamingCall<ServerReflectionRequest, ServerReflectionResponse> {
  const files = readDescriptors(image)
  return (call) => {
    call.on("data", (request: ServerReflectionRequest) => {
      call.write({ validHost: request.host, originalRequest: request, ...replyTo(files, request) })
    })
    call.on("end", () => call.end())
    call.on("error", () => call.end())
  }
}

function replyTo(files: readonly DescriptorFile[], request: ServerReflectionRequest): Reply {
  const { fileByFilename, fileContainingSymbol, listServices } = request
  if (listServices !== undefined) {
    const service = files.flatMap(({ services }) => services.map((name) => ({ name })))
    return { ...NOTHING, listServicesResponse: { service } }
  }
  if (fileByFilename !== undefined) return withFile(files, ({ name }) => name === fileByFilename)
  if (fileContainingSymbol !== undefined) return withFile(files, ({ symbols }) => symbols.has(fileContainingSymbol))
  return notFound("there are no extensions here")
}

/** The file and all that it stands on: some tools do not ask on. */
function withFile(files: readonly DescriptorFile[], isIt: (file: DescriptorFile) => boolean): Reply {
  const file = files.find(isIt)
  if (!file) return notFound("there is no such file or symbol")
  const wanted = new Set([file])
  for (const one of wanted) for (const other of files) if (one.dependencies.includes(other.name)) wanted.add(other)
  const fileDescriptorProto = [...wanted].map(({ bytes }) => Buffer.from(bytes))
  return { ...NOTHING, fileDescriptorResponse: { fileDescriptorProto } }
}

const notFound = (errorMessage: string): Reply => ({
  ...NOTHING,
  errorResponse: { errorCode: status.NOT_FOUND, errorMessage },
})
