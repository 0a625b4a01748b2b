// The verbs that look at an instance: where it stands, how it ended, its history and its audit trail.
import type { ActionOf } from "./action.ts"
import type { Stage } from "./stage.ts"
import { awaitLike, insist } from "./verdict.ts"

type Audit = ActionOf<"audit">

export async function playEnded(stage: Stage, { ended, expect }: ActionOf<"ended">): Promise<void> {
  const terminal = { status: { $oneOf: ["COMPLETED", "FAILED", "CANCELLED"] } }
  const instance = await awaitLike(terminal, () => getInstance(stage, ended))
  insist(expect, instance)
  insist({ currentStepIds: [], completedAt: { $present: true } }, instance)
  stage.values.set(ended, instance)
}

export async function playStandsAt(stage: Stage, { standsAt, of = "it", expect }: ActionOf<"standsAt">): Promise<void> {
  const instance = await awaitLike({ currentStepIds: { $set: standsAt } }, () => getInstance(stage, of))
  insist(expect, instance)
}

export async function playHistory(stage: Stage, { history, expect }: ActionOf<"history">): Promise<void> {
  const { items } = (await stage.tell(undefined, "getHistory", { id: idOf(stage, history) })) as { items: Execution[] }
  insist(
    expect,
    items.map(({ stepId, status }) => `${stepId} ${status}`),
  )
}

export async function playAudit(stage: Stage, action: Audit): Promise<void> {
  const look = async () => trailOf(stage, action)
  if (action.eventually) await awaitLike(wanted(action), look)
  else insist(wanted(action), await look())
}

const wanted = ({ kinds, counts, expect }: Audit): object => ({
  /** Without a gap, from 1 on, whatever happened. */
  inOrder: true,
  ...(kinds === undefined ? {} : { kinds }),
  ...(counts === undefined ? {} : { counts }),
  ...(expect === undefined ? {} : { items: expect }),
})

async function trailOf(stage: Stage, { audit, counts = {} }: Audit): Promise<object> {
  const { body } = await stage.rest("GET", `/v1/instances/${idOf(stage, audit)}/audit`)
  const { items } = body as { items: readonly { seq: number; kind: string }[] }
  const count = (kind: string) => items.filter((item) => item.kind === kind).length
  return {
    items,
    kinds: items.map(({ kind }) => kind),
    counts: Object.fromEntries(Object.keys(counts).map((kind) => [kind, count(kind)])),
    inOrder: items.every(({ seq }, at) => seq === at + 1),
  }
}

interface Execution {
  readonly stepId: string
  readonly status: string
}

const getInstance = (stage: Stage, name: string) => stage.tell(undefined, "getInstance", { id: idOf(stage, name) })

function idOf({ values }: Stage, name: string): string {
  const id = (values.get(name) as { id?: string } | undefined)?.id
  if (id === undefined) throw new Error(`the script has no instance ${name}`)
  return id
}
