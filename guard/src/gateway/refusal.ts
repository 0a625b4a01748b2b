// Why the gateway does not forward a request, or has no answer for it: told to the caller by the server around it.

/** The names of the error catalogue; each has its status there. */
export type GatewayCode =
  | "bad-request"
  | "not-found"
  | "method-not-allowed"
  | "bad-gateway"
  | "gateway-timeout"
  | "rate-limited"
  | "unavailable"

export class GatewayRefusal extends Error {
  readonly code: GatewayCode

  constructor(code: GatewayCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = "GatewayRefusal"
    this.code = code
  }
}

export const unclear = (message: string): GatewayRefusal => new GatewayRefusal("bad-request", message)
