// Tells people when more steps of workflows are queued than should be: once per crossing, by the log and by a webhook.

import { countReady, type Ranges, readBacklog } from "../../store/flow/depths.ts"
import { type AlertRow, clearAlert, listAlerts, markTold, raiseAlert } from "../../store/observability/alerts.ts"
import { deliver } from "../../support/web/webhook.ts"
import { rangesOf } from "../flow/read-depths.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { ProveTerm } from "../kernel/loops.ts"

const NAME = "queued-steps"
/** The alert is raised again only after the number has fallen to this share of the threshold. */
const CLEARED_AT = 0.8
/** No further than this is counted. */
const COUNTED = 100_000

interface Detail {
  readonly queued: number
  readonly threshold: number
}

export class BacklogAlert {
  readonly #kernel: Kernel
  readonly #pausesMs: readonly number[] | undefined
  #telling: Promise<void> | undefined

  constructor(kernel: Kernel, pausesMs?: readonly number[]) {
    this.#kernel = kernel
    this.#pausesMs = pausesMs
  }

  /** Costs two small reads while there are few steps; a backlog is counted no further than it takes to decide. */
  async check(proveTerm: ProveTerm): Promise<void> {
    const threshold = this.#kernel.settings.alertQueuedSteps
    const [backlog, alerts] = await Promise.all([readBacklog(this.#kernel.db), listAlerts(this.#kernel.db)])
    const standing = alerts.find(({ name }) => name === NAME)
    if (standing?.is_left) this.#tell(standing)
    // All that are queued are live: with few of those there is nothing to count.
    const ranges = rangesOf(this.#kernel, backlog.live > threshold * CLEARED_AT ? backlog.queue_ids : [])
    const queued = ranges.queueIds.length === 0 ? 0 : await countReady(this.#kernel.db, ranges, threshold + 1)
    if (queued > threshold && !standing) await this.#raise(proveTerm, ranges)
    if (queued <= threshold * CLEARED_AT && standing) await this.#clear(proveTerm)
  }

  /** Resolves when no webhook call is under way. */
  async settled(): Promise<void> {
    await this.#telling
  }

  async #raise(proveTerm: ProveTerm, ranges: Ranges): Promise<void> {
    const threshold = this.#kernel.settings.alertQueuedSteps
    const queued = await countReady(this.#kernel.db, ranges, COUNTED)
    if (queued <= threshold) return
    const raised = await this.#kernel.db.transaction(async (tx) => {
      await proveTerm(tx)
      return raiseAlert(tx, NAME, { queued, threshold } satisfies Detail)
    })
    if (raised) this.#tell(raised)
  }

  async #clear(proveTerm: ProveTerm): Promise<void> {
    await this.#kernel.db.transaction(async (tx) => {
      await proveTerm(tx)
      clearAlert(tx, NAME)
    })
    this.#kernel.log.info({ alert: NAME }, "the backlog of queued steps is gone")
  }

  /** Not waited for: a slow receiver must not hold up the fold. What a process that dies leaves untold, the next leader tells. */
  #tell(alert: AlertRow): void {
    this.#telling ??= this.#deliver(alert)
      .catch((error) => this.#kernel.log.error({ err: error, alert: NAME }, "an alert could not be marked as told"))
      .finally(() => (this.#telling = undefined))
  }

  async #deliver(alert: AlertRow): Promise<void> {
    const { queued, threshold } = JSON.parse(alert.detail) as Detail
    const subject = "Workflow Queue Backup"
    const message = messageOf({ queued, threshold })
    this.#kernel.log.warn({ alert: NAME, queued, threshold }, `${subject}: ${message}`)
    const { alertWebhook: url } = this.#kernel.settings
    if (url) {
      const raisedAt = new Date(alert.raised_at).toISOString()
      const body = { subject, message, alert: NAME, queued, threshold, raisedAt }
      const failure = await deliver({ url, body, ...(this.#pausesMs ? { pausesMs: this.#pausesMs } : {}) })
      if (failure) this.#kernel.log.error({ alert: NAME, failure }, "the alert webhook was given up")
    }
    await markTold(this.#kernel.db, NAME)
  }
}

const messageOf = ({ queued, threshold }: Detail): string =>
  `${queued === COUNTED ? "at least " : ""}${queued} steps are pending, more than ${threshold}: ` +
  "look for a bottleneck, such as too few workers, a slow step or a pause"
