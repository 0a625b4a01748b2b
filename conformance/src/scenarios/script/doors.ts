// The verbs that the suite carries out itself, over REST: read and send.
import type { ActionOf } from "./action.ts"
import { fillHoles } from "./resolve.ts"
import type { Stage } from "./stage.ts"
import { awaitLike, insist } from "./verdict.ts"

export async function playRead(stage: Stage, { read, expect, as }: ActionOf<"read">): Promise<void> {
  const path = fillHoles(read, stage.values)
  const seen = await awaitLike(expect, async () => (await stage.rest("GET", path)).body)
  if (as) stage.values.set(as, seen)
}

export async function playSend(stage: Stage, { send, body, as, expect, status }: ActionOf<"send">): Promise<void> {
  const [method = "", path = ""] = fillHoles(send, stage.values).split(" ")
  const answer = await stage.rest(method, path, body)
  if (status === undefined ? answer.status >= 400 : answer.status !== status)
    throw new Error(`answered with ${answer.status}: ${JSON.stringify(answer.body)}`)
  insist(expect, answer.body)
  if (as) stage.values.set(as, answer.body)
}
