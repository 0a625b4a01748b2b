// All attacks, in the order in which they run.
import type { Attack } from "./attack.ts"
import { floodThrottled } from "./attacks/flood-throttled.ts"
import { forgeIdentity } from "./attacks/forge-identity.ts"
import { guessAtQuietDoors } from "./attacks/guess-at-quiet-doors.ts"
import { guessBetweenSignIns } from "./attacks/guess-between-sign-ins.ts"
import { guessInParallel } from "./attacks/guess-in-parallel.ts"
import { guessOverGrpc } from "./attacks/guess-over-grpc.ts"
import { lockOut } from "./attacks/lock-out.ts"
import { namedLikeAddress } from "./attacks/named-like-address.ts"
import { pace } from "./attacks/pace.ts"
import { pipeline } from "./attacks/pipeline.ts"
import { readRefusals } from "./attacks/read-refusals.ts"
import { resetStreams } from "./attacks/reset-streams.ts"
import { rotateWithin64 } from "./attacks/rotate-within-64.ts"
import { shareTokens } from "./attacks/share-tokens.ts"
import { sharedAddress } from "./attacks/shared-address.ts"
import { slowBodies } from "./attacks/slow-bodies.ts"
import { spellNames } from "./attacks/spell-names.ts"
import { spellPaths } from "./attacks/spell-paths.ts"
import { spoofBehindProxy } from "./attacks/spoof-behind-proxy.ts"
import { spoofFromStranger } from "./attacks/spoof-from-stranger.ts"

export const attacks: readonly Attack[] = [
  rotateWithin64,
  spoofBehindProxy,
  spoofFromStranger,
  forgeIdentity,
  shareTokens,
  spellPaths,
  spellNames,
  namedLikeAddress,
  guessInParallel,
  guessBetweenSignIns,
  guessAtQuietDoors,
  guessOverGrpc,
  pipeline,
  readRefusals,
  sharedAddress,
  lockOut,
  floodThrottled,
  slowBodies,
  resetStreams,
  pace,
]
