// What a request over HTTP says of its caller: its headers, and the address it comes from.
import type { RouteClass } from "@millrace/guard"
import type { FastifyRequest } from "fastify"
import type { Visitor } from "../../calls/authorize.ts"
import { guardAddress } from "../../calls/guard/client-address.ts"
import type { RestOptions } from "../../calls/options.ts"

type Options = Pick<RestOptions, "findAddress" | "guarding">
type Request = Pick<FastifyRequest, "id" | "headers" | "socket">

/** Its path is the pattern of its route: what the guard notes stays short however many ids there are. */
interface Aim {
  readonly routeClass: RouteClass
  readonly path: string
  readonly liftsBlocks?: boolean | undefined
}

export function visitorOf(options: Options, request: Request, { routeClass, path, liftsBlocks }: Aim): Visitor {
  const { headers, id: requestId } = request
  const address = addressOf(options, request)
  if (!options.guarding) return { headers, address }
  const agent = headers["user-agent"]
  return {
    headers,
    address,
    visit: { routeClass, path, requestId, address: guardAddress(address), agent, liftsBlocks },
  }
}

/** For what is refused before it has a route, too. */
export const addressOf = ({ findAddress }: Pick<Options, "findAddress">, { headers, socket }: Request) =>
  findAddress ? findAddress(socket.remoteAddress, headers) : socket.remoteAddress
