// Partitions of a group go to members that read their topic.
import { describe, expect, test } from "vitest"
import { shareOut } from "./share-out.ts"

describe("how a group shares out partitions", () => {
  function shares(members: Readonly<Record<string, readonly string[]>>, topics: Readonly<Record<string, number>>) {
    const joined = new Map(
      Object.entries(members).map(([memberId, read]) => [memberId, { memberId, version: 1, topics: [...read] }]),
    )
    const known = new Map(Object.entries(topics).map(([name, partitionsCount]) => [name, { partitionsCount }]))
    const shared = shareOut("a", joined, new Set(members.a), { topics: known } as never)
    return Object.fromEntries(
      shared.map(({ memberId, assignments }) => [
        memberId,
        [...assignments.values()].flatMap(({ topic, partitions }) => partitions.map((one) => `${topic}/${one}`)),
      ]),
    )
  }

  test("members that read the same have about as many each, and each partition has one", () => {
    const { a, b, c } = shares({ a: ["t", "u"], b: ["t", "u"], c: ["t", "u"] }, { t: 4, u: 3 })
    expect([a, b, c].map((one) => one?.length)).toEqual([3, 2, 2])
    expect([a, b, c].flat().toSorted()).toEqual(["t/0", "t/1", "t/2", "t/3", "u/0", "u/1", "u/2"])
  })

  test("members of one group that read different topics have partitions of their own topics alone", () => {
    const { a, b, c } = shares({ a: ["t"], b: ["u"], c: ["t", "u"] }, { t: 2, u: 3 })
    expect(
      [a, c]
        .flat()
        .filter((one) => one?.startsWith("t/"))
        .toSorted(),
    ).toEqual(["t/0", "t/1"])
    expect(
      [b, c]
        .flat()
        .filter((one) => one?.startsWith("u/"))
        .toSorted(),
    ).toEqual(["u/0", "u/1", "u/2"])
    expect(a?.concat(b ?? []).length).toBeGreaterThan(0)
  })
})
