// Lets requests that ask for another protocol, or for leave to send their body, through the same door as all others.
import { type IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Upgrading } from "@millrace/guard/gateway"
import type { FastifyInstance } from "fastify"
import { answerBadRequest } from "../rest/plumbing/bad-request.ts"

/** The connections of requests that ask for an upgrade, while they are looked at. */
export function acceptUpgrades(app: FastifyInstance, mount: string): WeakMap<IncomingMessage, Upgrading> {
  const upgrades = new WeakMap<IncomingMessage, Upgrading>()
  app.server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // Node no longer listens on it, and a reset would end the process.
    socket.on("error", () => {})
    // Its body would not be read any more: Node has stopped to parse what comes on this connection.
    if (hasBody(request)) return answerBadRequest(new Error("an upgrade with a body"), socket)
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    response.once("finish", () => socket.destroySoon())
    upgrades.set(request, { socket, head })
    app.routing(request, response)
  })
  // Without this Node tells every caller to send its body, also those that are about to be refused.
  app.server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url?.startsWith(mount)) response.writeContinue()
    app.routing(request, response)
  })
  return upgrades
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0
