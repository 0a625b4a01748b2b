// HTTP/2 as an attacker of the gRPC port speaks it.
import { type ClientHttp2Session, connect } from "node:http2"

/** A connection that an error only closes: attacks are cut off, and that is no fault of theirs. */
export function openHttp2(grpcUrl: string): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const session = connect(grpcUrl.replace("grpc:", "http:"))
    session.once("error", reject)
    session.once("connect", () => {
      session.off("error", reject).on("error", () => {})
      resolve(session)
    })
  })
}

export const LIST_INSTANCES = "/workflow.v1.WorkflowEngine/ListInstances"

/** A message of no bytes, in the frame of gRPC. */
const EMPTY = Buffer.alloc(5)

/** One call with an empty message; the number of its status. */
export function callGrpc(
  session: ClientHttp2Session,
  headers: Readonly<Record<string, string>>,
  path = LIST_INSTANCES,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
      ...headers,
    })
    let status = "none"
    const read = (from: Record<string, unknown>) => {
      if (from["grpc-status"] !== undefined) status = String(from["grpc-status"])
    }
    call.on("response", read).on("trailers", read)
    call.once("error", reject).once("close", () => resolve(status))
    call.resume().end(EMPTY)
  })
}
