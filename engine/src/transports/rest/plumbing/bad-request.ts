// Answers what is not HTTP, or comes too slowly to be a request: no route, no request id of the caller's, just 400 and goodbye.
import type { Socket } from "node:net"

const BODY = JSON.stringify({
  error: "bad-request",
  message: "the request is not valid HTTP, too large in its headers, or did not arrive in time",
  requestId: "none",
})
const HEAD = [
  "HTTP/1.1 400 Bad Request",
  "Content-Type: application/json; charset=utf-8",
  `Content-Length: ${Buffer.byteLength(BODY)}`,
  "Connection: close",
]

export function answerBadRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return
  if (socket.writable) socket.write(`${HEAD.join("\r\n")}\r\n\r\n${BODY}`)
  socket.destroy(error)
}
