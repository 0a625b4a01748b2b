// The messages of gRPC, loaded when the first call needs them: over REST the SDK runs without the package that encodes them.

/** Imports the types only: nothing is loaded by it. */
export type Proto = typeof import("../proto/index.ts")

/** gRPC was asked for, and the package that it needs is not installed. */
export class GrpcNotInstalledError extends Error {
  override readonly name: string = "GrpcNotInstalledError"
}

let loaded: Promise<Proto> | undefined

export function loadProto(): Promise<Proto> {
  loaded ??= load(() => import("../proto/index.ts"))
  return loaded
}

export async function load(importProto: () => Promise<Proto>): Promise<Proto> {
  try {
    return await importProto()
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw cause
    const install = "npm install @bufbuild/protobuf"
    const message = `gRPC needs a package beside the SDK: ${install}. REST, with an http:// url, needs none.`
    throw new GrpcNotInstalledError(message, { cause })
  }
}
