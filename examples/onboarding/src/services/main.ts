// The process of the six services: tells its parent where they are, and when the other flow has created an account.
import { startServices, type Urls } from "./start-services.ts"

export type Message = { readonly urls: Urls } | { readonly created: string }

const tell = (message: Message): void => void process.send?.(message)

const { urls } = await startServices({
  faults: { latencyMs: { least: 1, most: 5 }, refuse: 0.002, lose: 0.001 },
  seed: Number(process.env.SEED ?? 1),
  lateAccounts: 0.2,
  onAccountCreated: (email) => tell({ created: email }),
})
tell({ urls })
process.once("disconnect", () => process.exit())
process.on("SIGINT", () => {}) // Ctrl-C reaches the parent too, which then ends everybody in order
