// Millrace over gRPC: the server in a process of its own; here the client of the SDK, and its worker on StreamJobs.
import { SDK, startServer } from "./millrace-engine.mjs"

export async function openOverGrpc({ dsn }) {
  const { EngineClient, Runner } = await import(SDK)
  const server = await startServer(dsn)
  const client = new EngineClient({ url: server.grpcUrl, restUrl: server.url })
  const rest = new EngineClient({ url: server.url })
  const run = async (client, mode, { jobTypes, concurrency, handle }) => {
    const handlers = Object.fromEntries(jobTypes.map((jobType) => [jobType, handle]))
    const runner = new Runner({ client, mode, handlers, concurrency, workerId: `bench-${jobTypes[0]}` })
    await runner.start()
    return { stop: () => runner.stop() }
  }
  return {
    url: server.url,
    grpcUrl: server.grpcUrl,
    serverPid: server.pid,
    upload: (definition) => client.uploadDefinition(definition),
    startOne: (definitionId, variables) => client.startInstance({ definitionId, variables }),
    startOverRest: (definitionId, variables) => rest.startInstance({ definitionId, variables }),
    startMany: (definitionId, list) =>
      Promise.all(list.map((variables) => client.startInstance({ definitionId, variables }))),
    workOverRest: (options) => run(rest, "poll", options),
    work: (options) => run(client, "stream", options),
    async close() {
      client.close()
      rest.close()
      await server.stop()
    },
  }
}
