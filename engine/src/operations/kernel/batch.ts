// One batcher per hot write, with what all of them have in common.
import { Batcher, type BatcherOptions, type Patience, type Verdict } from "../../db/batcher.ts"
import { type Kernel, perKernel } from "./kernel.ts"

const MAX_BATCH_BYTES = 1_048_576

type Run<Item, Result> = (
  kernel: Kernel,
  items: readonly Item[],
  patience: Patience,
) => Promise<readonly Verdict<Result>[]>

type Options<Item, Result> = Omit<BatcherOptions<Item, Result>, "run" | "maxItems" | "maxSize"> & {
  readonly run: Run<Item, Result>
}

export const batched = <Item, Result>(options: Options<Item, Result>): ((kernel: Kernel) => Batcher<Item, Result>) =>
  perKernel(
    (kernel) =>
      new Batcher<Item, Result>({
        ...options,
        maxItems: kernel.batchMax,
        maxSize: MAX_BATCH_BYTES,
        run: (items, patience) => options.run(kernel, items, patience),
      }),
  )
