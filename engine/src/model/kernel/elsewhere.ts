// What other engines and queues call a field: where a guess at the spelling does not lead to its name here.

interface Elsewhere {
  /** The hint counts where a field of this name is known. */
  readonly where: string
  readonly hint: string
}

const ELSEWHERE: ReadonlyMap<string, Elsewhere> = new Map([
  ["candidateGroups", { where: "assigneeGroup", hint: "here it is `assigneeGroup`: one group, as a string" }],
  ["candidateGroup", { where: "assigneeGroup", hint: "here it is `assigneeGroup`" }],
  ["candidateUsers", { where: "assigneeGroup", hint: "here it is `assignee`, one person, or `assigneeGroup`" }],
  ["attempts", { where: "unique", hint: "here it is `retries`, one less: those after the first" }],
  ["jobId", { where: "unique", hint: "here it is `key`" }],
  ["singletonKey", { where: "unique", hint: "here it is `unique`: { key, for }" }],
  ["removeOnComplete", { where: "unique", hint: "here the records of ended jobs go by themselves, after WE_RETAIN" }],
  ["repeat", { where: "unique", hint: "here it is a schedule, which has a name of its own" }],
])

/** Undefined for a name that is of no other engine, or of none of these fields. */
export function elsewhereHint(name: string, known: Iterable<string>): string | undefined {
  const found = ELSEWHERE.get(name)
  return found && [...known].includes(found.where) ? found.hint : undefined
}
