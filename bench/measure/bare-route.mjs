// What intake is compared with: a Fastify route in a process of its own that parses the same body and answers 202, without a database.
import { createRequire } from "node:module"

const { default: fastify } = await import(
  createRequire(new URL("../../engine/package.json", import.meta.url)).resolve("fastify")
)
const server = fastify()
server.post("/v1/intake/:definitionId", async (request, reply) => {
  if (typeof request.body !== "object" || request.body === null) return reply.code(400).send({})
  return reply.code(202).send({ idempotencyKey: request.headers["idempotency-key"] })
})
console.log(await server.listen({ host: "127.0.0.1", port: 0 }))
