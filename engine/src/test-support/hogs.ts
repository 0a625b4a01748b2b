// Takes every connection that a server has to give.
import pg from "pg"

/** Connections until the server refuses one; the caller ends them. */
export async function takeAllConnections(dsn: string): Promise<pg.Client[]> {
  const taken: pg.Client[] = []
  for (;;) {
    const client = new pg.Client({ connectionString: dsn, application_name: "hog" })
    client.on("error", () => {})
    const refusal = await client.connect().then(
      () => undefined,
      (error: { code?: string }) => error.code ?? String(error),
    )
    if (refusal === "53300") return taken
    if (refusal !== undefined) throw new Error(`refused for another reason: ${refusal}`)
    taken.push(client)
  }
}
