// What other engines and queues call a field: where a guess at the spelling does not lead to its name here.

interface Elsewhere {
  /** The hint counts where a field of this name is known. */
  readonly where: string
  readonly hint: string
}

const FIRST = "which does not count the first attempt"
const IN_RETRY = "write `retry: { retries: … }`"

const COUNTED: readonly Elsewhere[] = [
  { where: "retries", hint: `did you mean \`retries\`, ${FIRST}?` },
  { where: "retry", hint: `${IN_RETRY}, ${FIRST}` },
]

const ELSEWHERE: ReadonlyMap<string, readonly Elsewhere[]> = new Map([
  ["candidateGroups", [{ where: "assigneeGroup", hint: "here it is `assigneeGroup`: one group, as a string" }]],
  ["candidateGroup", [{ where: "assigneeGroup", hint: "here it is `assigneeGroup`" }]],
  ["candidateUsers", [{ where: "assigneeGroup", hint: "here it is `assignee`, one person, or `assigneeGroup`" }]],
  ["attempts", [{ where: "unique", hint: "here it is `retries`, one less: those after the first" }, ...COUNTED]],
  ["maxAttempts", COUNTED],
  [
    "maxRetries",
    [
      { where: "retries", hint: "did you mean `retries`?" },
      { where: "retry", hint: IN_RETRY },
    ],
  ],
  ["retries", [{ where: "retry", hint: IN_RETRY }]],
  ["timeout", [{ where: "within", hint: "did you mean `within`?" }]],
  [
    "downstream",
    [{ where: "undo", hint: "a function goes there as a whole: name it in the options of workflow(name, { … }, fn)" }],
  ],
  ["jobId", [{ where: "unique", hint: "here it is `key`" }]],
  ["singletonKey", [{ where: "unique", hint: "here it is `unique`: { key, for }" }]],
  ["removeOnComplete", [{ where: "unique", hint: "here the records of ended jobs go by themselves, after WE_RETAIN" }]],
  ["repeat", [{ where: "unique", hint: "here it is a schedule, which has a name of its own" }]],
])

/** The hint for a name that other engines have for one of these fields; undefined where there is none. */
export function elsewhereHint(name: string, known: Iterable<string>): string | undefined {
  const fields = new Set(known)
  return ELSEWHERE.get(name)?.find(({ where }) => fields.has(where))?.hint
}
