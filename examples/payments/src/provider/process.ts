// The mock provider as a process of its own. PROVIDER_HANG_SHARE, PROVIDER_HANG_SECONDS and PROVIDER_SUCCESS_SHARE change its moods.
import { endInOrder } from "../stage/end-in-order.ts"
import { startProvider } from "./server.ts"

const { PROVIDER_HANG_SHARE = "0.1", PROVIDER_HANG_SECONDS = "31", PROVIDER_SUCCESS_SHARE = "0.9" } = process.env

const provider = await startProvider({
  hangShare: Number(PROVIDER_HANG_SHARE),
  hangMs: Number(PROVIDER_HANG_SECONDS) * 1_000,
  successShare: Number(PROVIDER_SUCCESS_SHARE),
})
process.send?.({ url: provider.url })
endInOrder(() => provider.close())
