// The meter: folds the depths, and looks whether people should be told of a backlog.

import { DepthFolder } from "../flow/fold-depths.ts"
import type { Guard } from "../instances/advance.ts"
import type { Context } from "../kernel/context.ts"
import { BacklogAlert } from "./alert-backlog.ts"

export class Meter {
  readonly #ctx: Context
  readonly #folder: DepthFolder
  readonly #alert: BacklogAlert

  constructor(ctx: Context) {
    this.#ctx = ctx
    this.#folder = new DepthFolder(ctx)
    this.#alert = new BacklogAlert(ctx)
  }

  /** Something is left to do that no pulse can see. */
  get isOwed(): boolean {
    return this.#folder.isOwed
  }

  /** True when there may be more. */
  async tick(guard: Guard): Promise<boolean> {
    const more = await this.#folder.fold(guard)
    this.#ctx.series.stir()
    if (!more) await this.#alert.check(guard)
    return more
  }
}
