// Millrace over gRPC: the server in a process of its own; here the client of the SDK, and a worker on StreamJobs by the bare stubs.
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import { ENGINE } from "./engine-folder.mjs"
import { SDK, startServer } from "./millrace-engine.mjs"

const load = (name) => import(pathToFileURL(createRequire(new URL("package.json", ENGINE)).resolve(name)).href)

export async function openOverGrpc({ dsn }) {
  const { EngineClient, Runner } = await import(SDK)
  const server = await startServer(dsn)
  const client = new EngineClient({ url: server.grpcUrl, restUrl: server.url })
  const rest = new EngineClient({ url: server.url })
  return {
    url: server.url,
    grpcUrl: server.grpcUrl,
    serverPid: server.pid,
    upload: (definition) => client.uploadDefinition(definition),
    startOne: (definitionId, variables) => client.startInstance({ definitionId, variables }),
    startOverRest: (definitionId, variables) => rest.startInstance({ definitionId, variables }),
    startMany: (definitionId, list) =>
      Promise.all(list.map((variables) => client.startInstance({ definitionId, variables }))),
    async workOverRest({ jobTypes, concurrency, handle }) {
      const handlers = Object.fromEntries(jobTypes.map((jobType) => [jobType, handle]))
      const runner = new Runner({ client: rest, handlers, concurrency, workerId: "bench-rest" })
      await runner.start()
      return { stop: () => runner.stop() }
    },
    work: (options) => streamJobs(server.grpcUrl, options),
    async close() {
      client.close()
      rest.close()
      await server.stop()
    },
  }
}

/** As an SDK does it: credit for each free slot, a start said before the handler runs, the end reported by a call. */
async function streamJobs(grpcUrl, { jobTypes, concurrency, handle }) {
  const { credentials } = await load("@grpc/grpc-js")
  const { WorkflowEngineClient } = await import(new URL("proto/index.js", SDK))
  const client = new WorkflowEngineClient(grpcUrl.replace("grpc://", ""), credentials.createInsecure())
  const stream = client.streamJobs()
  const running = new Set()
  const run = async (job) => {
    await handle(job)
    await new Promise((resolve, reject) => {
      const report = { jobId: job.id, workerId: "bench", variablesToSet: undefined, leaseToken: job.leaseToken }
      client.completeJob(report, (error) => (error ? reject(error) : resolve()))
    })
    stream.write({ credit: 1 })
  }
  stream.on("data", ({ jobs }) => {
    stream.write({ started: { jobs: jobs.map(({ id, leaseToken }) => ({ jobId: id, leaseToken })) } })
    for (const job of jobs) {
      const done = run(job).finally(() => running.delete(done))
      running.add(done)
    }
  })
  const ended = new Promise((resolve) => stream.on("status", resolve))
  stream.on("error", () => {})
  stream.write({ open: { workerId: "bench", jobTypes, leaseSeconds: 60, credit: concurrency } })
  return {
    async stop() {
      await Promise.all(running)
      stream.end()
      await ended
      client.close()
    },
  }
}
