// Who puts load on the queue: three classes of users, as many of each as their weights say, each with acts and a pace of its own.

export type Act = "submit" | "poll" | "metrics"
export type Priority = "critical" | "high" | "normal"

export interface LoadClass {
  readonly name: string
  readonly weight: number
  /** Between two acts, in milliseconds. */
  readonly pause: { readonly least: number; readonly most: number }
  /** How often each, relative to the others. */
  readonly acts: Readonly<Partial<Record<Act, number>>>
  readonly priorities: Readonly<Partial<Record<Priority, number>>>
}

export const CLASSES: readonly LoadClass[] = [
  {
    name: "legitimate",
    weight: 3,
    pause: { least: 500, most: 2_000 },
    acts: { submit: 5, poll: 2, metrics: 1 },
    priorities: { normal: 1 },
  },
  // Refused or not, it goes on: 202 and 503 are both fine.
  { name: "burst", weight: 1, pause: { least: 10, most: 50 }, acts: { submit: 1 }, priorities: { normal: 1 } },
  {
    name: "mixed",
    weight: 2,
    pause: { least: 200, most: 1_000 },
    acts: { submit: 1 },
    priorities: { normal: 6, high: 3, critical: 1 },
  },
]

/** One of them, with `random` from 0 to 1, as often as its share says. */
export function pick<Name extends string>(shares: Readonly<Partial<Record<Name, number>>>, random: number): Name {
  const entries = Object.entries(shares) as [Name, number][]
  let left = random * entries.reduce((sum, [, share]) => sum + share, 0)
  for (const [name, share] of entries) {
    left -= share
    if (left < 0) return name
  }
  return (entries.at(-1) as [Name, number])[0]
}

/** The class of each of so many users. */
export function classesOf(users: number): readonly LoadClass[] {
  const round = CLASSES.flatMap((each) => Array<LoadClass>(each.weight).fill(each))
  return Array.from({ length: users }, (_, at) => round[at % round.length] as LoadClass)
}
