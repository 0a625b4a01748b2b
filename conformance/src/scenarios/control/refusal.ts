// A call that was refused: by the engine with a code of its catalogue, or by the program itself with the code `client`.

export class Refusal extends Error {
  readonly code: string
  readonly retryable: boolean | undefined

  constructor({ code, message, retryable }: { code: string; message?: string; retryable?: boolean }) {
    super(`${code}: ${message ?? ""}`)
    this.name = "Refusal"
    this.code = code
    this.retryable = retryable
  }
}
