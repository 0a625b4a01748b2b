// The reflection service of grpc: which services there are, and the descriptions of their messages, out of the contract's own image.
import { readFileSync } from "node:fs"
import { Code } from "@millrace/sdk/grpc-protocol"
import {
  type ServerReflectionRequest,
  type ServerReflectionResponse,
  ServerReflectionService,
} from "@millrace/sdk/proto"
import { type DescriptorFile, readDescriptors } from "./descriptors.ts"
import { type DoorParts, Visit } from "./door.ts"
import type { GrpcCall } from "./http2/grpc-call.ts"
import type { Handle } from "./http2/listener.ts"
import { readMessage } from "./read-message.ts"

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

interface OpenReflection {
  readonly handle: Handle
  /** Ends every stream: tools keep one open for as long as they run. */
  readonly close: () => void
}

/** Both versions of the service speak alike. For callers who may call something over gRPC. */
export function reflectionOf(parts: DoorParts, image: Uint8Array = readFileSync(IMAGE)): OpenReflection {
  const files = readDescriptors(image)
  const open = new Set<GrpcCall>()
  return {
    handle: async (call) => {
      open.add(call)
      await serve(parts, call, files)
      open.delete(call)
    },
    // Ends the calls as if their callers had finished sending.
    close: () => {
      for (const call of open) call.stopReading()
    },
  }
}

async function serve(parts: DoorParts, call: GrpcCall, files: readonly DescriptorFile[]): Promise<void> {
  const visit = new Visit(parts, call, { rpc: "ServerReflectionInfo", quiet: true, streams: true })
  try {
    await visit.enter({ permission: "any-scope", routeClass: "client" })
    await answerAll(call, files)
    call.end(Code.OK, "", visit.trailer)
    visit.end(Code.OK)
  } catch (thrown) {
    visit.refuse(thrown)
  }
}

/** A caller that does not read its answers is not listened to either. */
async function answerAll(call: GrpcCall, files: readonly DescriptorFile[]): Promise<void> {
  const { serverReflectionInfo } = ServerReflectionService
  for (let message = await call.next(); message !== undefined; message = await call.next()) {
    const request = readMessage(serverReflectionInfo, message)
    const answer = { validHost: request.host, originalRequest: request, ...replyTo(files, request) }
    await call.write(serverReflectionInfo.responseSerialize(answer))
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
  errorResponse: { errorCode: Code.NOT_FOUND, errorMessage },
})
