// `@millrace/sdk/proto`: the stubs of the gRPC contract. They need @bufbuild/protobuf beside the SDK.
export { Any } from "../generated/proto/google/protobuf/any.ts"
export {
  BadRequest,
  BadRequest_FieldViolation,
  ErrorInfo,
  RetryInfo,
} from "../generated/proto/google/rpc/error_details.ts"
export { Status } from "../generated/proto/google/rpc/status.ts"
export {
  HealthCheckRequest,
  HealthCheckResponse,
  HealthCheckResponse_ServingStatus,
} from "../generated/proto/grpc/health/v1/health.ts"
export {
  ServerReflectionRequest,
  ServerReflectionResponse,
} from "../generated/proto/grpc/reflection/v1/reflection.ts"
export * from "../generated/proto/workflow/v1/engine.ts"
export * from "./services.ts"
export { Struct } from "./struct.ts"
export { strictReader } from "./utf8.ts"
