// What the API refuses, and with which status: thrown anywhere below a route, told by the server.

export class Refusal extends Error {
  readonly status: 404 | 409 | 422
  readonly error: string

  constructor(status: Refusal["status"], error: string, message: string) {
    super(message)
    this.status = status
    this.error = error
  }
}

export const invalid = (message: string): Refusal => new Refusal(422, "validation", message)
