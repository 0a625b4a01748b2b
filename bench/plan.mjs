// Turns options into the list of runs: workload by workload, round by round, contestants alternating inside a round.
import { contestantsNamed, whyNot } from "./contestants/index.mjs"
import { workloads } from "./workloads/index.mjs"

export function makePlan(options, nodeMajor) {
  const chosen = contestantsNamed(options.contestants)
  const skipped = chosen
    .map((contestant) => ({ name: contestant.name, reason: whyNot(contestant, nodeMajor) }))
    .filter((entry) => entry.reason)
  const present = chosen.filter((contestant) => !skipped.some((entry) => entry.name === contestant.name))
  const rounds = Array.from({ length: options.rounds }, (_, k) => k + 1)
  const runs = options.workloads.flatMap((workload) =>
    rounds.flatMap((round) =>
      inTurn(present, round)
        .filter((contestant) => contestant.workloads.includes(workload))
        .map((contestant) => ({
          workload,
          round,
          contestant: contestant.name,
          size: sizeOf(workload, contestant, options),
        })),
    ),
  )
  return { runs, skipped }
}

// Every other round begins at the other end: none always runs on the warmer or the fuller disk.
const inTurn = (list, round) => (round % 2 === 1 ? list : list.toReversed())

// What was asked for wins; what a contestant has of its own applies only to the full default.
function sizeOf(workload, { scale = {}, sizes = {} }, { quick, size: asked }) {
  const size = { ...workloads[workload].sizes[quick ? "quick" : "full"], ...(quick ? {} : sizes[workload]) }
  if (size.n && !quick) size.n = Math.round(size.n * (scale[workload] ?? 1))
  for (const key of Object.keys(size)) size[key] = asked[key] ?? size[key]
  return size
}
