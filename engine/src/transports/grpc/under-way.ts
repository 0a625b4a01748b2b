// The calls that a handler works on: an end of the server waits for these, and for no others.
import type { handleUnaryCall } from "@grpc/grpc-js"

export class UnderWay {
  #calls = 0
  #onIdle: () => void = () => {}

  get isIdle(): boolean {
    return this.#calls === 0
  }

  /** Resolves once no handler works. */
  async idle(): Promise<void> {
    while (!this.isIdle)
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve
      })
  }

  /** The handler of a unary call, counted until it has answered. */
  unary<Request, Response>(handle: handleUnaryCall<Request, Response>): handleUnaryCall<Request, Response> {
    return (call, respond) => {
      this.#calls += 1
      handle(call, (...answer) => {
        respond(...answer)
        this.#end()
      })
    }
  }

  /** The handler of a stream, counted until it is done. */
  stream<Call>(handle: (call: Call) => Promise<void>): (call: Call) => void {
    return (call) => {
      this.#calls += 1
      void handle(call).finally(() => this.#end())
    }
  }

  #end(): void {
    this.#calls -= 1
    if (this.isIdle) this.#onIdle()
  }
}
