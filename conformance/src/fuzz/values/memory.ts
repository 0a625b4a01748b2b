// What an episode has learned: ids, keys, tokens and cursors from answers, by what they are.

const MOST = 40

/** Names that mean the same as another. */
const SAME: Readonly<Record<string, string>> = {
  nextCursor: "cursor",
  parentId: "instanceId",
  linkedId: "linkingId",
  jobTypes: "jobType",
  waitStepId: "stepId",
  userTaskStepId: "stepId",
  currentStepIds: "stepId",
  fingerprint: "failure",
  lockToken: "leaseToken",
  workId: "instanceId",
  lastWorkId: "instanceId",
  idempotencyKey: "key",
}

/** What kind of id a field `id` holds, by the path that answered it. */
const IDS: readonly (readonly [RegExp, string])[] = [
  [/^\/jobs\/bulk|^\/jobs|^\/v1\/jobs/, "jobId"],
  [/^\/v1\/events\/bulk|^\/v1\/events$/, "eventId"],
  [/bulk|(dlq|parked)\/(replay|discard)$/, "bulkId"],
  [/^\/queues\/dlq/, "deadLetterId"],
  [/^\/v1\/events/, "eventId"],
  [/^\/v1\/definitions/, "definitionId"],
  [/^\/v1\/user-tasks/, "userTaskId"],
  [/^\/v1\/schedules/, "scheduleId"],
  [/^\/v1\/api-keys/, "keyId"],
  [/^\/v1\/(instances|intake)/, "instanceId"],
]

export const camel = (name: string): string => name.replaceAll(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase())

/** `instance_id`, `parentId` and `instanceId` are one kind. */
export const kindOf = (name: string): string => SAME[camel(name)] ?? camel(name)

export const idKindOf = (path: string): string => IDS.find(([pattern]) => pattern.test(path))?.[1] ?? "id"

/** Where ids stand in a value: under `steps` an `id` is a step's. */
const NESTED: Readonly<Record<string, string>> = { steps: "stepId", jobs: "jobId", instances: "instanceId" }

/** Things that belong together, by their kinds: a job with its token, a user task with its instance. */
export type Belonging = Readonly<Record<string, string>>

const MOST_BELONGING = 120

export class Memory {
  readonly #kept = new Map<string, string[]>()
  readonly #belonging: Belonging[] = []
  /** Never learned, and so never sent: with them the run would end itself. */
  readonly #secret: ReadonlySet<string>

  constructor(secret: ReadonlySet<string> = new Set()) {
    this.#secret = secret
  }

  keep(kind: string, value: string): void {
    if (value === "" || value.length > 600 || this.#secret.has(value)) return
    const kept = this.#kept.get(kind)
    if (!kept) this.#kept.set(kind, [value])
    else if (!kept.includes(value)) {
      kept.push(value)
      if (kept.length > MOST) kept.shift()
    }
  }

  /** Draws once, whether there is something to recall or not. */
  recall(kind: string, draw: number): string | undefined {
    const kept = this.#kept.get(kind)
    return kept?.[Math.floor(draw * kept.length)]
  }

  /** A value of any kind. */
  recallAny(draw: number, again: number): string | undefined {
    const kinds = [...this.#kept.keys()]
    return this.recall(kinds[Math.floor(draw * kinds.length)] ?? "", again)
  }

  /** Everything in it that has a name of interest; `idKind` is what an `id` is here. */
  learn(value: unknown, idKind: string, name = ""): void {
    if (Array.isArray(value)) for (const item of value.slice(0, MOST)) this.learn(item, idKind, name)
    else if (typeof value === "string") this.#learnText(value, name === "id" ? idKind : kindOf(name))
    else if (typeof value === "object" && value !== null) this.#learnObject(value, NESTED[name] ?? idKind)
  }

  #learnObject(value: object, idKind: string): void {
    for (const [key, inner] of Object.entries(value)) this.learn(inner, idKind, key)
    const texts = Object.entries(value).flatMap(([key, inner]) => {
      const text: unknown = Array.isArray(inner) ? inner[0] : inner
      const kind = key === "id" ? idKind : kindOf(key)
      return typeof text === "string" && !this.#secret.has(text) ? [[kind, text] as const] : []
    })
    if (texts.length < 2) return
    this.#belonging.push(Object.fromEntries(texts))
    if (this.#belonging.length > MOST_BELONGING) this.#belonging.shift()
  }

  /** Among the things that belong together, one that has most of these kinds. */
  belonging(kinds: readonly string[], draw: number): Belonging {
    const shared = (one: Belonging) => kinds.filter((kind) => kind in one).length
    const most = Math.max(0, ...this.#belonging.map(shared))
    const fitting = most === 0 ? [] : this.#belonging.filter((one) => shared(one) === most)
    return fitting[Math.floor(draw * fitting.length)] ?? {}
  }

  #learnText(value: string, kind: string): void {
    this.keep(kind, value)
    if (kind === "type" && !/^[A-Z_]+$/.test(value)) this.keep("jobType", value)
  }
}
