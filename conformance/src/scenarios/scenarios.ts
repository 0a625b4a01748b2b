// The 19 end-to-end scenarios, in a fixed order.
import { businessKey } from "./list/business-key.ts"
import { cancel } from "./list/cancel.ts"
import { chaining } from "./list/chaining.ts"
import { decision } from "./list/decision.ts"
import { decisionNoMatch } from "./list/decision-no-match.ts"
import { definitionApi } from "./list/definition-api.ts"
import { linear } from "./list/linear.ts"
import { loanApproval } from "./list/loan-approval.ts"
import { parallel } from "./list/parallel.ts"
import { parallelUserTask } from "./list/parallel-user-task.ts"
import { retryExhausted } from "./list/retry-exhausted.ts"
import { retryFail } from "./list/retry-fail.ts"
import { signalUserTask } from "./list/signal-user-task.ts"
import { timer } from "./list/timer.ts"
import { timerEnd } from "./list/timer-end.ts"
import { timerInterrupting } from "./list/timer-interrupting.ts"
import { transformation } from "./list/transformation.ts"
import { userTask } from "./list/user-task.ts"
import { waitSignal } from "./list/wait-signal.ts"
import type { Scenario } from "./scenario.ts"

export const scenarios: readonly Scenario[] = [
  linear,
  decision,
  parallel,
  userTask,
  timer,
  waitSignal,
  retryFail,
  chaining,
  signalUserTask,
  loanApproval,
  transformation,
  retryExhausted,
  cancel,
  decisionNoMatch,
  businessKey,
  definitionApi,
  parallelUserTask,
  timerInterrupting,
  timerEnd,
]
