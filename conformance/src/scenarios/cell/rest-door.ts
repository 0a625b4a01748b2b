// The suite's own way to the engine: REST, whatever the cell's transport is.

export interface RestAnswer {
  readonly status: number
  readonly body: unknown
}

export interface RestCall {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

export async function askRest(baseUrl: string, { method, path, body }: RestCall): Promise<RestAnswer> {
  const content =
    body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
  const answer = await fetch(`${baseUrl}${path}`, { method, ...content })
  const text = await answer.text()
  return { status: answer.status, body: text === "" ? null : JSON.parse(text) }
}
