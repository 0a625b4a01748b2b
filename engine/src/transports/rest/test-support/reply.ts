// An answer of the test server.
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed body; a test knows what it expects there. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly body: any
}
