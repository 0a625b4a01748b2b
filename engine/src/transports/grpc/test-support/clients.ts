// Clients of grpc-js for the services on the gRPC port: tests ask with them as programs do that do not use our SDK.
import {
  type ChannelCredentials,
  type Client,
  type ClientDuplexStream,
  type ClientReadableStream,
  type Metadata,
  makeGenericClientConstructor,
  type requestCallback,
  type ServiceDefinition,
} from "@grpc/grpc-js"
import * as proto from "@millrace/sdk/proto"

type Open<Q, A> = (metadata?: Metadata) => ClientDuplexStream<Q, A>

export interface WorkflowEngineClient extends Client {
  streamJobs: Open<proto.StreamJobsRequest, proto.StreamJobsResponse>
}

export interface HealthClient extends Client {
  check(request: proto.HealthCheckRequest, done: requestCallback<proto.HealthCheckResponse>): void
  watch(request: proto.HealthCheckRequest): ClientReadableStream<proto.HealthCheckResponse>
}

export interface ServerReflectionClient extends Client {
  serverReflectionInfo: Open<proto.ServerReflectionRequest, proto.ServerReflectionResponse>
}

const clientOf = <T extends Client>(service: object) =>
  makeGenericClientConstructor(service as ServiceDefinition, "") as unknown as new (
    address: string,
    credentials: ChannelCredentials,
  ) => T

export const WorkflowEngineClient = clientOf<WorkflowEngineClient>(proto.WorkflowEngineService)
export const HealthClient = clientOf<HealthClient>(proto.HealthService)
export const ServerReflectionClient = clientOf<ServerReflectionClient>(proto.ServerReflectionService)
