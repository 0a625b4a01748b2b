// What a call ends with: its status, and what is told behind an answer or with a refusal.

/** A name that ends in `-bin` has bytes in base64 for its value. */
export type Trailers = Record<string, string | string[]>

export const statusFields = (code: number, details: string, trailers: Trailers): Trailers => ({
  "grpc-status": String(code),
  ...(details === "" ? {} : { "grpc-message": percentEncoded(details) }),
  ...trailers,
})

/** Printable ASCII stays, except for the sign itself. */
const percentEncoded = (text: string): string =>
  text.toWellFormed().replaceAll(/[^\x20-\x24\x26-\x7e]+/g, encodeURIComponent)
