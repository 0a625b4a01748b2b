// The packages that gRPC needs, loaded when the first call needs them: over REST the SDK runs without.

/** Of the types alone: nothing is loaded by it. */
export interface Grpc {
  readonly grpc: typeof import("@grpc/grpc-js")
  readonly proto: typeof import("../proto/index.ts")
}

/** gRPC was asked for, and its packages are not installed. */
export class GrpcNotInstalledError extends Error {
  override readonly name: string = "GrpcNotInstalledError"
}

let loaded: Promise<Grpc> | undefined

export function loadGrpc(): Promise<Grpc> {
  loaded ??= load(
    () => import("@grpc/grpc-js"),
    () => import("../proto/index.ts"),
  )
  return loaded
}

export async function load(
  importGrpc: () => Promise<Grpc["grpc"]>,
  importProto: () => Promise<Grpc["proto"]>,
): Promise<Grpc> {
  try {
    const [grpc, proto] = await Promise.all([importGrpc(), importProto()])
    return { grpc, proto }
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw cause
    const packages = "@grpc/grpc-js @bufbuild/protobuf"
    const message = `gRPC needs two packages beside the SDK: npm install ${packages}. REST, with an http:// url, needs none.`
    throw new GrpcNotInstalledError(message, { cause })
  }
}
