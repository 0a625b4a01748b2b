// What our own steps see of a request and its answer: no more of Fastify than they use.
import type { ServerResponse } from "node:http"
import type { FastifyRequest } from "fastify"
import type { Answer } from "../../calls/route.ts"

type Read =
  | "id"
  | "method"
  | "headers"
  | "raw"
  | "socket"
  | "params"
  | "query"
  | "body"
  | "is404"
  | "matched"
  | "principal"
  | "visitor"
  | "trace"
  | "span"

export type Asked = Pick<FastifyRequest, Read> & {
  readonly routeOptions: { readonly url?: string | undefined; readonly config: { readonly isForwarded?: boolean } }
}

export interface Answering {
  readonly raw: ServerResponse
  readonly sent: boolean
  readonly statusCode: number
  /** Milliseconds since the request came. */
  readonly elapsedTime: number
  code(status: number): unknown
  header(name: string, value: string): unknown
  headers(values: NonNullable<Answer["headers"]>): unknown
  getHeader(name: string): number | string | string[] | undefined
  send(body?: Answer["body"]): unknown
}

export type Step = (request: Asked, reply: Answering, done: () => void) => void
