// Whether dead letters are complete, and each was replayed at most once.
import type { Line } from "../journal.ts"
import { doubles } from "./doubles.ts"
import type { FinalState } from "./final-state.ts"
import { ofOp } from "./lines.ts"

/** A dead job has a letter or a successor, and one of either; a request replays once. */
export function judgeReplays(lines: readonly Line[], { ended, letters }: FinalState): string[] {
  const successors = new Map<string, string[]>()
  for (const { id, replayOf } of ended)
    if (replayOf !== null) successors.set(replayOf, [...(successors.get(replayOf) ?? []), id])
  const kept = new Set(letters)
  const dead = new Set(ended.flatMap(({ id, status }) => (status === "FAILED" ? [id] : [])))
  return [
    ...doubles(letters).map((id) => `S20: job ${id} has two dead letters`),
    ...[...successors].flatMap(([id, made]) => [
      ...(made.length > 1 ? [`S20, F12: the dead letter of ${id} was replayed ${made.length} times`] : []),
      ...(dead.has(id) ? [] : [`S20: job ${id} was replayed, and is not dead`]),
    ]),
    ...[...dead].flatMap((id) =>
      kept.has(id) || successors.has(id) ? [] : [`S20: job ${id} is dead without a letter`],
    ),
    ...[...kept].flatMap((id) => [
      ...(dead.has(id) ? [] : [`S20: there is a dead letter of job ${id}, which is not dead`]),
      ...(successors.has(id) ? [`S20: job ${id} was replayed, and its dead letter is still there`] : []),
    ]),
    ...judgeReplayAnswers(lines, successors),
  ]
}

function judgeReplayAnswers(lines: readonly Line[], successors: ReadonlyMap<string, readonly string[]>): string[] {
  const answers = new Map<string, Set<string>>()
  for (const { key, id } of ofOp(lines, "replayed")) answers.set(key, (answers.get(key) ?? new Set()).add(id))
  return [
    ...[...answers].flatMap(([key, ids]) =>
      ids.size > 1 ? [`S3: replay ${key} was answered with ${[...ids].join(" and ")}`] : [],
    ),
    ...ofOp(lines, "replayed").flatMap(({ key, job, id }) =>
      successors.get(job)?.includes(id) ? [] : [`S1: replay ${key} of ${job} was accepted as ${id}, which is lost`],
    ),
  ]
}
