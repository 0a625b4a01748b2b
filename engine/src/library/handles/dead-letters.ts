// Dead letters from your own process: what has died of which error, and what becomes of it.
import { PRIORITIES, type Priority } from "../../model/definitions/definition.ts"
import { EVERYTHING } from "../../model/people/reach.ts"
import { discardDeadLetter } from "../../operations/dead-letters/discard-dead-letter.ts"
import { type DeadGroups, groupDeadLetters } from "../../operations/dead-letters/group-dead-letters.ts"
import {
  type DeadLetterDetail,
  type DeadLetterView,
  getDeadLetter,
  listDeadLetters,
} from "../../operations/dead-letters/read-dead-letters.ts"
import { type Replayed, replayDeadLetter } from "../../operations/dead-letters/replay-dead-letter.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { checkKnown } from "../authoring/check-authoring.ts"
import type { AnyWorkflow } from "../authoring/workflow.ts"
import { tellInCatalogue } from "../running/catalogue-errors.ts"
import { checkText } from "../running/check-input.ts"
import { checkWord, definitionIdOf, type JobType, jobTypeOf, OF_A_RANGE, type Range, timeOf } from "./list-options.ts"
import { OF_A_PAGE, Page, type PageOptions } from "./page.ts"

export interface DeadLetterFilter extends Range, PageOptions {
  /** Dead letters of standalone jobs, or of steps. */
  readonly source?: "job" | "step" | undefined
  readonly type?: JobType | undefined
  readonly priority?: Priority | undefined
  readonly workflow?: AnyWorkflow | string | undefined
  /** The `fingerprint` of a group. */
  readonly fingerprint?: string | undefined
}

const FILTERS = ["source", "type", "priority", "workflow", "fingerprint", ...OF_A_RANGE, ...OF_A_PAGE]
const BY = { actor: "local", reach: EVERYTHING }

export class DeadLetters {
  static {
    tellInCatalogue(DeadLetters)
  }
  readonly #kernel: Kernel

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  /** Like errors together, the most frequent first. */
  async groups(range: Range = {}): Promise<DeadGroups> {
    checkKnown("groups of dead letters", range, OF_A_RANGE)
    return groupDeadLetters(this.#kernel, rangeOf(range))
  }

  /** Newest first. */
  async list(filter: DeadLetterFilter = {}): Promise<Page<DeadLetterView>> {
    checkKnown("a list of dead letters", filter, FILTERS)
    const { cursor, pageSize, ...narrowing } = filter
    const query = queryOf(narrowing)
    return Page.read({ cursor, pageSize }, (from, limit) =>
      listDeadLetters(this.#kernel, query, { limit, cursor: from }),
    )
  }

  /** One with all its attempts, by its own id or by that of the job. */
  async get(id: string): Promise<DeadLetterDetail> {
    checkText(id, "the dead letter's id")
    return getDeadLetter(this.#kernel, id)
  }

  /** A job is enqueued anew, under a new id; a run goes on at the step that failed. By the letter's own id or by that of the job. */
  async replay(id: string): Promise<Replayed> {
    checkText(id, "the dead letter's id")
    return (await replayDeadLetter(this.#kernel, { id, ...BY })).outcome
  }

  /** The letter is gone; its job or run stays FAILED. */
  async discard(id: string): Promise<void> {
    checkText(id, "the dead letter's id")
    await discardDeadLetter(this.#kernel, { id, ...BY })
  }
}

const rangeOf = ({ since, before }: Range) => ({ since: timeOf(since, "since"), before: timeOf(before, "before") })

function queryOf({ source, type, priority, workflow, fingerprint, ...range }: DeadLetterFilter) {
  checkWord(source, "source", ["job", "step"] as const)
  checkWord(priority, "priority", PRIORITIES)
  if (fingerprint !== undefined) checkText(fingerprint, "fingerprint")
  return {
    source,
    type: type === undefined ? undefined : jobTypeOf(type),
    priority,
    definitionId: workflow === undefined ? undefined : definitionIdOf(workflow),
    error: fingerprint,
    ...rangeOf(range),
  }
}
