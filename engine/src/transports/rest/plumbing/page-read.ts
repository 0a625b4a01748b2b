// What an open dashboard reads again and again: worth no log line and no trace of its own while it goes well.
import type { FastifyRequest } from "fastify"

/** Browsers say so themselves, and only of a page that this server has served. */
export const isPageRead = ({ method, headers }: Pick<FastifyRequest, "method" | "headers">): boolean =>
  method === "GET" && headers["sec-fetch-site"] === "same-origin"
