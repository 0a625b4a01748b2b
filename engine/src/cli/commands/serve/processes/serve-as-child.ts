// One of several processes of `millrace start --processes`: an engine on the ports of its parent, which has the database and the banner.
import type { Config } from "../../../../config.ts"
import type { Logger } from "../../../../support/log.ts"
import { runUntilStopped } from "../../../terminal/run-until-stopped.ts"
import type { ChosenServices } from "../chosen-services.ts"
import { type StartEngine, startTraced } from "../serve.ts"
import type { Joined } from "./join-parent.ts"

interface ChildRun {
  readonly joined: Joined
  readonly config: Config
  readonly log: Logger
  readonly development: boolean
  readonly services: ChosenServices | undefined
  readonly startEngine: StartEngine
}

export async function serveAsChild({ joined, development, services, ...run }: ChildRun): Promise<void> {
  const { signals, number } = joined
  await runUntilStopped({
    signals,
    say: (text) => run.log.debug(text),
    // The parent ends its children at once where it has to.
    force: () => {},
    start: async (add) => {
      const options = { development, sample: development && number === 1, membership: joined, ...services }
      const { restUrl, metricsUrl, grpcUrl } = await startTraced(run, options, add)
      await joined.running({ restUrl, metricsUrl, grpcUrl })
    },
  })
}
