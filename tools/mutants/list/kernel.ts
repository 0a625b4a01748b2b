// Bugs below the operations: keys of requests, transactions, batches, terms.
import type { Mutant } from "../mutant.ts"

const IDEMPOTENCY_TEST = "engine/src/operations/kernel/idempotency.test.ts"
const CALLERS_TEST = "engine/src/operations/kernel/callers.test.ts"
const QUEUE_FAULTS_TEST = "engine/src/operations/jobs/enqueue/queue-faults.test.ts"
const TRANSACTION_MODES_TEST = "engine/src/db/transaction-modes.test.ts"
const COMMIT_WATCH_TEST = "engine/src/db/commit-watch.test.ts"
const TRAIN_TEST = "engine/src/db/train.test.ts"
const OUTAGE_TEST = "engine/src/operations/kernel/outage.test.ts"
const SWEEP_LEASES_TEST = "engine/src/operations/jobs/end/sweep-leases.test.ts"
const BATCHER_TEST = "engine/src/db/batcher.test.ts"
const PULSE_TEST = "engine/src/services/pulse.test.ts"
const FOLD_DEPTHS_TEST = "engine/src/operations/flow/fold-depths.test.ts"

export const KERNEL: readonly Mutant[] = [
  {
    id: "second-answer-for-a-key",
    file: "engine/src/operations/kernel/idempotency.ts",
    find: "if (row.digest.equals(digest)) return { row }",
    replace: "if (row.digest.length === digest.length) return { row }",
    breaks: "S3: a key that was used with another body is refused.",
    tests: [IDEMPOTENCY_TEST],
  },
  {
    id: "key-kept-after-a-refusal",
    file: "engine/src/operations/kernel/idempotency.ts",
    find: "if (!tx.isOurs && error instanceof EngineError) await releaseRequestKeys(tx, [key])",
    replace: "if (tx.isOurs && error instanceof EngineError) await releaseRequestKeys(tx, [key])",
    breaks: "S3: a request that was refused in a caller's transaction may be sent again.",
    tests: [IDEMPOTENCY_TEST, CALLERS_TEST, QUEUE_FAULTS_TEST],
  },
  {
    id: "no-outcome-kept",
    file: "engine/src/operations/kernel/idempotency.ts",
    find: `  keepOutcome(tx, key, outcome)
`,
    replace: "",
    breaks: "S3: a repeated request is given the first answer.",
    tests: [IDEMPOTENCY_TEST],
  },
  {
    id: "lost-commit-is-success",
    file: "engine/src/db/transaction.ts",
    find: 'if (answers.at(-1)?.tag !== "COMMIT") throw new CommitLostError("the transaction was rolled back")',
    replace: 'if (answers.length === 0) throw new CommitLostError("the transaction was rolled back")',
    breaks: "S1: a commit that was answered with a rollback is not acknowledged.",
    tests: [TRANSACTION_MODES_TEST, COMMIT_WATCH_TEST, TRAIN_TEST, OUTAGE_TEST],
  },
  {
    id: "announced-before-commit",
    file: "engine/src/db/transaction.ts",
    find: `      await tx.#commit()
      tx.#follow()`,
    replace: `      tx.#follow()
      await tx.#commit()`,
    breaks: "S1: nothing is announced before the commit has been answered.",
    tests: [TRANSACTION_MODES_TEST, COMMIT_WATCH_TEST, OUTAGE_TEST, SWEEP_LEASES_TEST],
  },
  {
    id: "transaction-left-open",
    file: "engine/src/db/transaction.ts",
    find: `    await rollBack(this.#client, error)
  }
}`,
    replace: `    void error
  }
}`,
    breaks: "S2: a transaction that failed is rolled back before its connection is used again.",
    tests: [TRANSACTION_MODES_TEST, SWEEP_LEASES_TEST],
  },
  {
    id: "after-commit-runs-again",
    file: "engine/src/db/batcher.ts",
    find: "if (error instanceof AfterCommitError || isAway(error)) return false",
    replace: "if (isAway(error)) return false",
    breaks: "S2: a batch that was committed is not run again.",
    tests: [BATCHER_TEST],
  },
  {
    id: "split-while-away",
    file: "engine/src/db/batcher.ts",
    find: "if (error instanceof AfterCommitError || isAway(error)) return false",
    replace: "if (error instanceof AfterCommitError) return false",
    breaks: "A batch is not split while the database is away.",
    tests: [BATCHER_TEST],
  },
  {
    id: "key-in-two-flights",
    file: "engine/src/db/batcher.ts",
    find: "(batch.length === 0 || size < maxSize) && !this.#isBusy(waiting.key)",
    replace: "(batch.length === 0 || size < maxSize)",
    breaks: "Items of one key are never in two flights at once.",
    tests: [BATCHER_TEST],
  },
  {
    id: "batcher-without-capacity",
    file: "engine/src/db/batcher.ts",
    find: "if (this.#isFull) settle(at, { error: full() })",
    replace: "if (this.#isFull && item === undefined) settle(at, { error: full() })",
    breaks: "A queue in front of the database that is full refuses.",
    tests: [BATCHER_TEST],
  },
  {
    id: "batch-fails-as-one",
    file: "engine/src/db/batcher.ts",
    find: "if (items.length === 1 || !this.#splits(error)) return items.map(() => ({ error }))",
    replace: "if (items.length > 0) return items.map(() => ({ error }))",
    breaks: "One item that fails does not fail the others of its batch.",
    tests: [BATCHER_TEST],
  },
  {
    id: "old-term-is-good",
    file: "engine/migrations/0001_engine.sql",
    find: "where name = loop and term = expected for share;",
    replace: "where name = loop and term >= expected for share;",
    breaks: "S6: a leader that was replaced writes nothing.",
    tests: [PULSE_TEST, FOLD_DEPTHS_TEST, SWEEP_LEASES_TEST],
  },
]
