// `@millrace/sdk/proto`: the stubs of the gRPC contract. They need @bufbuild/protobuf beside the SDK, and their types those of @grpc/grpc-js.
export { Any } from "../generated/proto/google/protobuf/any.ts"
export { BadRequest, ErrorInfo, RetryInfo } from "../generated/proto/google/rpc/error_details.ts"
export { Status } from "../generated/proto/google/rpc/status.ts"
export {
  HealthCheckRequest,
  HealthCheckResponse,
  HealthCheckResponse_ServingStatus,
  HealthService,
} from "../generated/proto/grpc/health/v1/health.ts"
export {
  ServerReflectionRequest,
  ServerReflectionResponse,
  ServerReflectionService,
} from "../generated/proto/grpc/reflection/v1/reflection.ts"
export { ServerReflectionService as ServerReflectionAlphaService } from "../generated/proto/grpc/reflection/v1alpha/reflection.ts"
export * from "../generated/proto/workflow/v1/engine.ts"
export { Struct } from "./struct.ts"
export { strictReader } from "./utf8.ts"
