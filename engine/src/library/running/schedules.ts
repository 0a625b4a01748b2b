// Schedules from your own process: what is started by the clock, when, and what became of it.

import type { Priority } from "../../model/definitions/definition.ts"
import { EVERYTHING } from "../../model/people/reach.ts"
import { CATCH_UPS, type CatchUp, OVERLAPS, type Overlap } from "../../model/schedules/schedule-ticks.ts"
import { isDefinition } from "../../operations/definitions/workflow-names.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { changeSchedule } from "../../operations/schedules/change-schedule.ts"
import {
  getSchedule,
  listScheduleRuns,
  listSchedules,
  type ScheduleRunView,
  type ScheduleView,
} from "../../operations/schedules/read-schedules.ts"
import { runSchedule } from "../../operations/schedules/run-schedule.ts"
import { deleteSchedule, putSchedule } from "../../operations/schedules/schedules.ts"
import { badRequest } from "../../support/errors.ts"
import { activeTrace } from "../../support/spans.ts"
import { checkKnown } from "../authoring/check-authoring.ts"
import { type AnyJob, isJob } from "../authoring/job.ts"
import { validate } from "../authoring/standard-schema.ts"
import type { AnyWorkflow } from "../authoring/workflow.ts"
import { checkWord } from "../handles/list-options.ts"
import { OF_A_PAGE, Page, type PageOptions } from "../handles/page.ts"
import { tellInCatalogue } from "./catalogue-errors.ts"
import { checkPriority, checkText, checkVariables, checkWorkflow } from "./check-input.ts"

export interface ScheduleOptions {
  /** A workflow, a job, the id of a definition, or else the type of a job that is handled elsewhere. */
  readonly start: AnyWorkflow | AnyJob | string
  readonly cron: string
  /** An IANA name; UTC. */
  readonly timezone?: string
  /** What each run starts with. */
  readonly input?: object
  readonly priority?: Priority
  /** While the run before has not ended: "skip" this one, let it wait in the "queue", or "cancel" the other. "skip" */
  readonly overlap?: Overlap
  /** Which ticks that passed while no engine ran are made up for: "none", the "last" or "all". "last" */
  readonly catchUp?: CatchUp
  /** true */
  readonly enabled?: boolean
}

const OPTIONS = ["start", "cron", "timezone", "input", "priority", "overlap", "catchUp", "enabled"]
const BY = { actor: "local", reach: EVERYTHING }

export class Schedules {
  static {
    tellInCatalogue(Schedules)
  }
  readonly #kernel: Kernel
  readonly #upload: (workflow: AnyWorkflow) => Promise<unknown>

  constructor(kernel: Kernel, upload: (workflow: AnyWorkflow) => Promise<unknown>) {
    this.#kernel = kernel
    this.#upload = upload
  }

  /** New, or in place of the one with this id: a program may say at every start what it wants. */
  async put(id: string, { start, input, ...options }: ScheduleOptions): Promise<ScheduleView> {
    checkOptions(id, options)
    checkText(options.cron, "cron")
    const spec = { id, ...options, ...(await this.#target(start)), input: checkVariables(input, "the input") }
    if (typeof start !== "string" && start.input) await validate(start.input, spec.input)
    return (await putSchedule(this.#kernel, spec, BY)).outcome.schedule
  }

  async #target(start: ScheduleOptions["start"]) {
    if (typeof start === "string")
      return (await isDefinition(this.#kernel, start)) ? { definitionId: start } : { jobType: start }
    if (isJob(start)) return { jobType: start.name }
    checkWorkflow(start)
    await this.#upload(start)
    return { definitionId: start.name }
  }

  /** What is left out stays as it is. `change("nightly", { enabled: false })` */
  async change(id: string, { start, input, ...options }: Partial<ScheduleOptions>): Promise<ScheduleView> {
    checkOptions(id, options)
    if (Object.values({ start, input, ...options }).every((value) => value === undefined))
      throw badRequest("name at least one thing to change")
    const target = start === undefined ? {} : await this.#target(start)
    const given = input === undefined ? {} : { input: checkVariables(input, "the input") }
    if (given.input && start && typeof start !== "string" && start.input) await validate(start.input, given.input)
    return (await changeSchedule(this.#kernel, { id, ...options, ...target, ...given }, BY)).outcome
  }

  get(id: string): Promise<ScheduleView> {
    checkText(id, "the schedule's id")
    return getSchedule(this.#kernel, id)
  }

  /** Lists schedules in the order of their ids. */
  async list(options: PageOptions = {}): Promise<Page<ScheduleView>> {
    checkKnown("a list of schedules", options, OF_A_PAGE)
    return Page.read(options, (cursor, pageSize) => listSchedules(this.#kernel, { cursor, pageSize }))
  }

  /** Now, as its next tick would: look at the outcome. */
  async run(id: string): Promise<ScheduleRunView> {
    checkText(id, "the schedule's id")
    return (await runSchedule(this.#kernel, { id, ...BY, trace: activeTrace() })).outcome
  }

  /** What became of each tick, newest first. */
  async runs(id: string, options: PageOptions = {}): Promise<Page<ScheduleRunView>> {
    checkText(id, "the schedule's id")
    checkKnown("the runs of a schedule", options, OF_A_PAGE)
    return Page.read(options, (cursor, pageSize) => listScheduleRuns(this.#kernel, id, { cursor, pageSize }))
  }

  /** Runs and jobs that the schedule has started go on. */
  async delete(id: string): Promise<void> {
    checkText(id, "the schedule's id")
    await deleteSchedule(this.#kernel, id, BY)
  }
}

function checkOptions(id: string, options: Partial<ScheduleOptions>): void {
  checkText(id, "the schedule's id")
  checkKnown(`schedule ${id}`, options, OPTIONS)
  if (options.cron !== undefined) checkText(options.cron, "cron")
  if (options.timezone !== undefined) checkText(options.timezone, "timezone")
  checkPriority(options.priority)
  checkWord(options.overlap, "overlap", OVERLAPS)
  checkWord(options.catchUp, "catchUp", CATCH_UPS)
  checkWord(options.enabled, "enabled", [true, false])
}
