// One batcher per hot write, with what all of them have in common.
import { Batcher, type BatcherOptions } from "../../db/batcher.ts"
import { isAway } from "../../db/errors.ts"
import { type Kernel, perKernel } from "./kernel.ts"

const MAX_BATCH_BYTES = 1_048_576

type Options<Item, Result> = Omit<BatcherOptions<Item, Result>, "run" | "maxItems" | "maxSize" | "splits"> & {
  readonly run: (kernel: Kernel, items: readonly Item[]) => ReturnType<BatcherOptions<Item, Result>["run"]>
  readonly maxItems?: number
}

export const batched = <Item, Result>({
  run,
  ...options
}: Options<Item, Result>): ((kernel: Kernel) => Batcher<Item, Result>) =>
  perKernel(
    (kernel) =>
      new Batcher<Item, Result>({
        maxItems: kernel.batchMax,
        maxSize: MAX_BATCH_BYTES,
        splits: (error) => !isAway(error),
        ...options,
        run: (items) => run(kernel, items),
      }),
  )
