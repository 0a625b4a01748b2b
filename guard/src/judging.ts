// The chain after authentication: blocked address or agent, rate, abuse. The first enforced rule that refuses ends it.
import { type Acting, softBlocked, throttled, unavailable } from "./acting.ts"
import type { HardBlocks } from "./hard-blocks.ts"
import { ipSubject, rateKey, rhythmBlockKey, softBlockKey, subjectOf, timesKey } from "./keys.ts"
import type { Block } from "./ledger.ts"
import type { Settings } from "./options.ts"
import { hasRhythm, type RhythmClass } from "./route-class.ts"
import { type Rhythm, regularityOf, rhythmOf } from "./rules/rhythm.ts"
import { scoreOf } from "./rules/score.ts"
import type { Action, Shadow } from "./shadow.ts"
import { SOFT_BLOCK_MS, type SoftBlocks } from "./soft-blocks.ts"
import { type Awaitable, after } from "./stores/awaitable.ts"
import type { Answer, KeyQuestion, Question, RateQuestion } from "./stores/store.ts"
import { ALLOWED, type Rule, type Verdict } from "./verdict.ts"
import type { KnownVisit, Visit } from "./visit.ts"

interface Parts {
  readonly settings: Settings
  readonly shadow: Shadow
  readonly acting: Acting
  readonly hardBlocks: HardBlocks
  readonly softBlocks: SoftBlocks
}

interface BlockQuestion extends KeyQuestion {
  readonly rule: Rule
}

export class Judging {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  judge(visit: KnownVisit): Awaitable<Verdict> {
    if (visit.routeClass === "health") return ALLOWED
    if (visit.liftsBlocks) return this.#count(visit)
    return after(this.hardBlocked(visit), (refused) => refused ?? this.#count(visit))
  }

  hardBlocked(visit: Visit): Awaitable<Action | undefined> {
    const found = this.#parts.hardBlocks.find("address", visit.address)
    const byAddress = this.#confirmed(visit, "blocked-address", found)
    return after(byAddress, (refused) => refused ?? this.#agentBlocked(visit))
  }

  #agentBlocked(visit: Visit): Awaitable<Action | undefined> {
    if (!visit.agent) return undefined
    return this.#confirmed(visit, "blocked-agent", this.#parts.hardBlocks.find("agent", visit.agent))
  }

  #confirmed(visit: Visit, rule: Rule, found: Awaitable<Block | undefined>): Awaitable<Action | undefined> {
    if (found === undefined) return undefined
    const act = (block: Block | undefined) =>
      block && this.#looks(rule, visit)
        ? this.#parts.acting.on(visit, { state: "hard-blocked", rule, reason: block.reason })
        : undefined
    if (!(found instanceof Promise)) return act(found)
    // A filter alone never blocks. What it stands for when the ledger is away is a setting.
    const away = () =>
      this.#parts.settings.failMode === "closed" ? this.#parts.acting.on(visit, unavailable(rule)) : undefined
    return found.then(act, away)
  }

  #count(visit: KnownVisit): Awaitable<Verdict> {
    const blocks = this.#blocksOf(visit)
    for (const { key, rule } of blocks) {
      const known = this.#parts.softBlocks.find(key)
      const refused = known && this.#parts.acting.on(visit, softBlocked(rule, known))
      if (refused) return refused
    }
    const question = this.#questionOf(visit, blocks)
    if (question.rate === undefined && question.times === undefined) return ALLOWED
    return after(this.#parts.settings.store.ask(question), (answer) => this.#decide(visit, question, answer))
  }

  /** Where a rule in shadow would have ended the request, the other rules in shadow would not have seen it. */
  #looks(rule: Rule, visit: Visit): boolean {
    const { shadow } = this.#parts
    return !shadow.covers(rule) || !shadow.hasNoted(visit)
  }

  #blocksOf(visit: KnownVisit): BlockQuestion[] {
    const { shadow } = this.#parts
    const ip = ipSubject(visit.address)
    const block = (rule: Rule, key: string): BlockQuestion => ({ key, rule, isEnforced: !shadow.covers(rule) })
    // An operator's block is one whether or not the rule is in shadow.
    const operators = block("blocked-address", softBlockKey("live", "blocked-address", ip))
    const blocks = visit.liftsBlocks ? [] : [operators]
    const [failed, rhythm] = ["failures-by-address", "regularity"] as const
    // A verified client is not answerable for what others at its address have tried.
    if (visit.client === undefined) blocks.push(block(failed, softBlockKey(shadow.spaceOf(failed), failed, ip)))
    if (hasRhythm(visit.routeClass))
      blocks.push(block(rhythm, rhythmBlockKey(shadow.spaceOf(rhythm), visit.routeClass, subjectOf(visit))))
    // Nearly always all are enforced, and in order already.
    return blocks.every(({ isEnforced }) => isEnforced) ? blocks : blocks.sort(enforcedFirst)
  }

  #questionOf(visit: KnownVisit, blocks: readonly BlockQuestion[]): Question {
    const { shadow } = this.#parts
    const isNoted = shadow.hasNoted(visit)
    return {
      rate: this.#rateOf(visit),
      blocks: isNoted ? blocks.filter(({ rule }) => this.#looks(rule, visit)) : blocks,
      times: hasRhythm(visit.routeClass) ? this.#timesOf(visit, visit.routeClass) : undefined,
    }
  }

  #timesOf(visit: KnownVisit, routeClass: RhythmClass): KeyQuestion | undefined {
    const { shadow } = this.#parts
    if (!this.#looks("regularity", visit)) return undefined
    const key = timesKey(shadow.spaceOf("regularity"), routeClass, subjectOf(visit))
    return { key, isEnforced: !shadow.covers("regularity") }
  }

  #rateOf(visit: KnownVisit): RateQuestion | undefined {
    const { settings, shadow } = this.#parts
    const limit = visit.limit ?? settings.limits[visit.routeClass]
    if (limit === undefined || !this.#looks("rate", visit)) return undefined
    const routeClass = visit.limit === undefined ? visit.routeClass : undefined
    return {
      key: rateKey(shadow.spaceOf("rate"), subjectOf(visit), routeClass),
      requests: limit.requests,
      windowMs: limit.windowMs,
      isEnforced: !shadow.covers("rate"),
    }
  }

  #decide(visit: KnownVisit, question: Question, answer: Answer): Verdict {
    const { rate } = question
    if (answer.isLocal && rate?.isEnforced && this.#parts.settings.failMode === "closed")
      return this.#parts.acting.on(visit, unavailable("rate")) ?? ALLOWED
    return (
      this.#overRate(visit, rate, answer) ??
      this.#softBlocked(visit, question, answer) ??
      this.#tooRegular(visit, answer) ??
      (rate?.isEnforced && answer.rate ? { state: "allowed", remaining: answer.rate.remaining } : ALLOWED)
    )
  }

  #overRate(visit: KnownVisit, rate: RateQuestion | undefined, answer: Answer): Action | undefined {
    if (rate === undefined || answer.rate?.isAdmitted !== false) return undefined
    const { requests, windowMs } = rate
    const reason = `more than ${requests} calls in ${windowMs / 1000} s`
    return this.#parts.acting.on(visit, softBlocked("rate", { reason, leftMs: windowMs }))
  }

  #softBlocked(visit: KnownVisit, { blocks }: Question, { block }: Answer): Action | undefined {
    if (block === undefined) return undefined
    this.#parts.softBlocks.learn(block)
    const { rule } = blocks.find(({ key }) => key === block.key) as BlockQuestion
    return this.#parts.acting.on(visit, softBlocked(rule, block))
  }

  #tooRegular(visit: KnownVisit, { timesMs }: Answer): Action | undefined {
    const { settings, shadow, acting, softBlocks } = this.#parts
    const { routeClass } = visit
    if (timesMs === undefined || !hasRhythm(routeClass)) return undefined
    const rhythm = rhythmOf(timesMs)
    const regularity = regularityOf(rhythm, settings.rhythm)
    if (rhythm === undefined || regularity === "irregular") return undefined
    const { state, reason: found } = scoreOf({ regularity })
    const reason = `${found}: ${described(rhythm)}, class ${routeClass}`
    if (state === "throttled") return acting.on(visit, throttled("regularity", reason))
    const block = { space: shadow.spaceOf("regularity"), routeClass, subject: subjectOf(visit), reason }
    void Promise.resolve(softBlocks.makeForRhythm(block)).catch(() => {})
    return acting.on(visit, softBlocked("regularity", { reason, leftMs: SOFT_BLOCK_MS }))
  }
}

const enforcedFirst = (a: KeyQuestion, b: KeyQuestion): number => Number(b.isEnforced) - Number(a.isEnforced)

/** The times are forgotten with the block; its reason keeps the numbers. */
const described = ({ gaps, meanSeconds, deviationSeconds }: Rhythm): string =>
  `${gaps + 1} calls, every ${meanSeconds.toFixed(2)} s with a deviation of ${deviationSeconds.toFixed(3)} s`
