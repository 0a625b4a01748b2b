// The scene: so many visitors, so many more a second, for so long, in front of one gateway.
import { setMaxListeners } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { type Act, browse, scrape, stuff } from "./acts.ts"
import { Tally } from "./tally.ts"
import { Visitor } from "./visitor.ts"

export interface SceneOptions {
  readonly url: string
  readonly users: number
  readonly perSecond: number
  /** When the scene is over. */
  readonly over: AbortSignal
  readonly tally?: Tally
  readonly say?: (text: string) => void
}

/** Seven honest users, seven stuffers and six scrapers of every twenty. */
const KINDS = [...Array(7).fill(browse), ...Array(7).fill(stuff), ...Array(6).fill(scrape)] as ((
  act: Act,
) => Promise<void>)[]
const PASSWORD = "anvil-teapot-marble-42"

export async function runScene({
  url,
  users,
  perSecond,
  over,
  tally = new Tally(),
  say = () => {},
}: SceneOptions): Promise<Tally> {
  setMaxListeners(0, over)
  const visitors = Array.from({ length: users }, (_, number) => new Visitor(url, number))
  const names = visitors.map((_, number) => `visitor-${process.pid}-${number}`)
  const kindOf = (number: number) => KINDS[(number * 7) % KINDS.length] as (typeof KINDS)[number]
  say(`${users} visitors register`)
  for (const [number, visitor] of visitors.entries())
    if (kindOf(number) !== stuff) await register(visitor, names[number] as string)
  say(`the scene begins, ${perSecond} visitors a second`)
  const acts = visitors.map(async (visitor, number) => {
    await sleep((number / perSecond) * 1_000, undefined, { signal: over }).catch(() => {})
    if (!over.aborted) await kindOf(number)({ visitor, name: names[number] as string, password: PASSWORD, tally, over })
    visitor.close()
  })
  await Promise.all(acts)
  return tally
}

async function register(visitor: Visitor, username: string): Promise<void> {
  const { status, text } = await visitor.post("/auth/register", {
    username,
    email: `${username}@example.test`,
    password: PASSWORD,
  })
  if (status !== 201) throw new Error(`${username} could not register: ${status} ${text}`)
}
