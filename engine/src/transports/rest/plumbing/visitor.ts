// What a request over HTTP says of its caller: its headers, and the address of its connection.
import type { FastifyRequest } from "fastify"
import type { Visitor } from "../../calls/authorize.ts"

export const visitorOf = ({ headers, socket }: Pick<FastifyRequest, "headers" | "socket">): Visitor => ({
  headers,
  address: socket.remoteAddress,
})
