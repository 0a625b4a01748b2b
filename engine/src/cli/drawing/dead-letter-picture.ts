// Dead letters as tables: one by one, by what went wrong, and one with its attempts.
import type { wire } from "@millrace/sdk"
import type { Style } from "./paint.ts"
import { type Canvas, facts, table } from "./table.ts"
import { count, moment, relative } from "./times.ts"

const REASONS: Readonly<Record<wire.DeadLetter["reason"], Style>> = {
  exhausted: "yellow",
  "not-retryable": "red",
  "worker-lost": "red",
}

export function drawDeadLetters({ items, next_cursor }: wire.DeadLetterPage, canvas: Canvas): readonly string[] {
  if (items.length === 0) return ["There are no dead letters."]
  const now = Date.now()
  const rows = table<wire.DeadLetter>(
    [
      { title: "ID", of: ({ id }) => id },
      { title: "TYPE", of: ({ type }) => type, style: () => "bold", cutTo: 12 },
      { title: "DIED", of: ({ dead_at }) => relative(dead_at, now), align: "right" },
      { title: "PRIORITY", of: ({ priority }) => priority, extra: true },
      { title: "REASON", of: ({ reason }) => reason, style: ({ reason }) => REASONS[reason], extra: true },
      { title: "TRIES", of: ({ attempts }) => count(attempts), align: "right", extra: true },
      { title: "ERROR", of: ({ error }) => error, cutTo: 24 },
    ],
    items,
    canvas,
  )
  return next_cursor === undefined ? rows : [...rows, "… and more: raise --limit, or narrow it with --type or --error"]
}

export function drawDeadGroups({ items, is_complete }: wire.DeadLetterGroups, canvas: Canvas): readonly string[] {
  if (items.length === 0) return ["There are no dead letters."]
  const now = Date.now()
  const rows = table<wire.DeadLetterGroup>(
    [
      { title: "LETTERS", of: lettersOf, align: "right", style: () => "bold" },
      { title: "FINGERPRINT", of: ({ fingerprint }) => fingerprint },
      { title: "FIRST", of: ({ first_at }) => relative(first_at, now), align: "right", extra: true },
      { title: "LAST", of: ({ last_at }) => relative(last_at, now), align: "right" },
      { title: "ERROR", of: ({ error }) => error, cutTo: 20 },
    ],
    items,
    canvas,
  )
  return [
    ...rows,
    ...(is_complete ? [] : ["Only the newest letters were looked at: older ones may have died of something else."]),
    "",
    canvas.paint("dim", "`millrace dead-letters replay --error <fingerprint>` sends all of one kind back."),
  ]
}

const lettersOf = (group: wire.DeadLetterGroup): string => `${group.count_is_exact ? "" : "over "}${count(group.count)}`

export function drawDeadLetter(letter: wire.DeadLetterDetail, canvas: Canvas): readonly string[] {
  const isStep = letter.source === "step"
  const lines = facts(
    [
      ["Dead letter", letter.id],
      ["Of", isStep ? `step ${letter.step_id} of instance ${letter.instance_id}` : `job ${letter.job_id}`],
      ["Type", letter.type],
      ["Priority", letter.priority],
      ["Reason", letter.reason, REASONS[letter.reason]],
      ["Died", `${moment(letter.dead_at)} (${relative(letter.dead_at, Date.now())})`],
      ["Tries", String(letter.attempts)],
      ["Fingerprint", letter.fingerprint],
      ["Error", letter.error],
      ["Payload", letter.payload],
    ],
    canvas,
  )
  const { history } = letter
  return history.length === 0 ? lines : [...lines, "", ...drawAttempts(history, canvas)]
}

const drawAttempts = (attempts: readonly wire.DeadLetterAttempt[], canvas: Canvas): readonly string[] =>
  table<wire.DeadLetterAttempt>(
    [
      { title: "TRY", of: ({ attempt }) => attempt, align: "right" },
      { title: "ENDED", of: ({ ended_at }) => moment(ended_at) },
      { title: "OUTCOME", of: ({ outcome }) => outcome },
      { title: "WORKER", of: ({ worker_id }) => worker_id, cutTo: 10, extra: true },
      { title: "ERROR", of: ({ error }) => error, cutTo: 16 },
    ],
    attempts,
    canvas,
  )
