// What the gateway is compared with: Fastify and its proxy plugin, and nothing else.
import { createRequire } from "node:module"
import proxy from "@fastify/http-proxy"

const { default: fastify } = await import(
  createRequire(new URL("../../engine/package.json", import.meta.url)).resolve("fastify")
)
const server = fastify()
await server.register(proxy, { upstream: process.argv[2], prefix: "/gateway" })
console.log(await server.listen({ host: "127.0.0.1", port: 0 }))
