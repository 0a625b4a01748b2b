// The meter: folds the depths, and looks whether people should be told of a backlog.

import { DepthFolder } from "../flow/fold-depths.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { ProveTerm } from "../kernel/loops.ts"
import { BacklogAlert } from "./alert-backlog.ts"
import { seriesOf } from "./counter-series.ts"

export class Meter {
  readonly #kernel: Kernel
  readonly #folder: DepthFolder
  readonly #alert: BacklogAlert

  constructor(kernel: Kernel) {
    this.#kernel = kernel
    this.#folder = new DepthFolder(kernel)
    this.#alert = new BacklogAlert(kernel)
  }

  /** Something is left to do that no pulse can see. */
  get isOwed(): boolean {
    return this.#folder.isOwed
  }

  /** True when there may be more. */
  async tick(proveTerm: ProveTerm): Promise<boolean> {
    const more = await this.#folder.fold(proveTerm)
    seriesOf(this.#kernel).stir()
    if (!more) await this.#alert.check(proveTerm)
    return more
  }
}
