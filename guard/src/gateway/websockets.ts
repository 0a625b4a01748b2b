// A WebSocket that an upstream has accepted: two connections joined end to end.
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { Exchange } from "./exchange.ts"
import type { OpenStreams } from "./open-streams.ts"

interface Joined {
  /** The headers of the upstream's answer. */
  readonly headers: readonly string[]
  readonly socket: Duplex
}

export class Websockets {
  readonly #streams: OpenStreams

  constructor(streams: OpenStreams) {
    this.#streams = streams
  }

  join(exchange: Exchange, { headers, socket: upstream }: Joined): void {
    const { response, upgrading, onStream } = exchange
    if (!upgrading) return void upstream.destroy()
    const { socket: caller, head } = upgrading
    response.detachSocket(caller as Socket)
    response.statusCode = 101
    for (const one of [caller, upstream]) quieten(one)
    caller.write(headOf(headers))
    if (head.length > 0) upstream.write(head)
    connect(upstream, caller)
    connect(caller, upstream)
    const end = () => {
      caller.destroy()
      upstream.destroy()
    }
    this.#streams.add(end, caller)
    onStream?.(end)
    for (const one of [caller, upstream]) one.once("error", end).once("close", end)
    // What waits for the end of an answer waits for this one too.
    caller.once("close", () => response.emit("close"))
  }
}

/** A WebSocket is not closed by halves: when one side ends, the other gets what is left and is closed. */
function connect(from: Duplex, to: Duplex): void {
  from.pipe(to, { end: false })
  from.once("end", () => to.end(() => to.destroy()))
}

/** Both sides may be silent for hours; TCP finds out when one has gone. */
function quieten(socket: Duplex): void {
  if (!(socket instanceof Socket)) return
  socket.setTimeout(0)
  socket.setNoDelay(true)
  socket.setKeepAlive(true, 30_000)
}

function headOf(headers: readonly string[]): string {
  let head = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`
  return `${head}\r\n`
}
