// What both ends of gRPC over HTTP/2 share: the SDK calls with it and the engine serves with it. No part of the public interface.
export { Code, type CodeName, codeName } from "./codes.ts"
export { FrameFault, FrameReader, frameOf } from "./frames.ts"
export { keepAlive } from "./keep-alive.ts"
