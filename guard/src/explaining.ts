// Why a client is refused or slowed down, with the numbers: for operators.
import type { Explanation } from "./guard.ts"
import { comparedValue, type HardBlocks } from "./hard-blocks.ts"
import { failedKey, rateKey, type Space, softBlockKeys, timesKey } from "./keys.ts"
import type { BlockKind } from "./ledger.ts"
import type { Settings } from "./options.ts"
import { RHYTHM_CLASSES, ROUTE_CLASSES, type RouteClass } from "./route-class.ts"
import { type Rhythm, rhythmOf } from "./rules/rhythm.ts"
import type { Shadow } from "./shadow.ts"
import type { Look } from "./stores/store.ts"

interface Parts {
  readonly settings: Settings
  readonly hardBlocks: HardBlocks
  readonly shadow: Shadow
}

const SPACES: readonly Space[] = ["live", "shadow"]
/** Only the key itself knows the window of its limit, so its calls are shown for a minute. */
const OWN_WINDOW_MS = 60_000

export async function explain(subject: string, parts: Parts): Promise<Explanation> {
  const { settings, shadow } = parts
  const { windowMs } = settings.failures
  const windows = windowsOf(subject, settings)
  const failed = SPACES.map((space) => ({ space, key: failedKey(space, subject), windowMs }))
  const blocks = SPACES.flatMap((space) => softBlockKeys(space, subject).map(({ rule, key }) => ({ space, rule, key })))
  const look: Look = await settings.store.look({
    windows: [...windows, ...failed],
    blocks: blocks.map(({ key }) => key),
    times: RHYTHM_CLASSES.map((routeClass) => timesKey(shadow.spaceOf("regularity"), routeClass, subject)),
  })
  const threshold = subject.startsWith("name:") ? settings.failures.byUser : settings.failures.byAddress
  const countOf = (key: string): number => look.counts[key] ?? 0
  return {
    subject,
    ...(await hardBlockOf(subject, parts)),
    softBlocks: blocks.flatMap(({ key, rule, space }) => {
      const found = look.blocks.find((block) => block.key === key)
      return found ? [{ rule, space, reason: found.reason, leftSeconds: Math.ceil(found.leftMs / 1000) }] : []
    }),
    windows: windows
      .map(({ key, routeClass, space, limit }) => ({ routeClass, space, count: countOf(key), limit }))
      .filter(({ count }) => count > 0),
    failures: failed
      .map(({ space, key }) => ({ space, count: countOf(key), threshold, windowSeconds: windowMs / 1000 }))
      .filter(({ count }) => count > 0),
    rhythm: rhythmOfMost(look.timesMs),
  }
}

/** The rhythm of the calls to the class of routes that the subject has called most. */
const rhythmOfMost = (timesMs: Look["timesMs"]): Rhythm | undefined =>
  rhythmOf([...timesMs].sort((a, b) => b.length - a.length)[0] ?? [])

function windowsOf(subject: string, { limits }: Settings) {
  const classes: (RouteClass | undefined)[] = [...ROUTE_CLASSES.filter((name) => limits[name]), undefined]
  return SPACES.flatMap((space) =>
    classes.map((routeClass) => {
      const limit = routeClass && limits[routeClass]
      return {
        space,
        routeClass,
        limit,
        key: rateKey(space, subject, routeClass),
        windowMs: limit?.windowMs ?? OWN_WINDOW_MS,
      }
    }),
  )
}

async function hardBlockOf(subject: string, { settings, hardBlocks }: Parts) {
  const kind: BlockKind | undefined = subject.startsWith("ip:")
    ? "address"
    : subject.startsWith("agent:")
      ? "agent"
      : undefined
  if (kind === undefined) return { hardBlock: undefined, isInFilter: false }
  const value = comparedValue(kind, subject.slice(subject.indexOf(":") + 1))
  return { hardBlock: await settings.ledger.findBlock({ kind, value }), isInFilter: hardBlocks.mayHold(kind, value) }
}
