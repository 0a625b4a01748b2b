// A workflow as it is written: a list of steps, or a function of a run. What comes out is a plain object that a worker can run.
import { PRIORITIES } from "../../model/definitions/definition.ts"
import { parseDefinition } from "../../model/definitions/parse-definition.ts"
import { isObject } from "../../support/json.ts"
import { checkChoice, checkOptions, checkWorkflowName, fault } from "./check-authoring.ts"
import { checkList } from "./check-list.ts"
import { isoDuration } from "./delay.ts"
import { downstreamName } from "./downstream.ts"
import type { AnyElement } from "./elements.ts"
import { type ListElement, toListElement } from "./list-element.ts"
import type { Claim, Recover } from "./list-faults.ts"
import type { InputOfAll, ListResult, Reading, SettingOf } from "./list-types.ts"
import { present } from "./present.ts"
import { readLimits } from "./retries/step-limits.ts"
import {
  type Checked,
  type InferInput,
  isStandardSchema,
  type OptionalSchema,
  type StandardSchemaV1,
} from "./standard-schema.ts"
import type { Stored } from "./stored.ts"
import { toDefinition } from "./to-definition.ts"
import type { CommonOptions, ListableAll, ListOptions } from "./workflow-options.ts"
import type { Run, Workflow } from "./workflow-types.ts"

export type { AnyWorkflow, ElementsOf, PayloadOf, ResultOf, Workflow } from "./workflow-types.ts"

type Body<Input, Result> = (run: Run, input: Input) => Result
type Taken<Schema extends OptionalSchema, Otherwise> = Schema extends StandardSchemaV1 ? InferInput<Schema> : Otherwise

/** A's rule: only errors that a step marks are tried again. */
const DEFAULT_RETRY = { errors: "marked", retries: 20 } as const
const NO_ELEMENTS = Object.freeze<ListElement[]>([])
const COMMON = ["input", "retry", "timeout", "downstream", "priority", "deadline", "retain", "events"]
const OF_LISTS = [...COMMON, "steps", "recover", "claim"]

/**
 * `workflow(name, { steps: [...] })` or `workflow(name, async (run, input) => ...)`. One signature for both: of two overloads the
 * compiler reports an error at the call, not at the element that is wrong.
 */
export function workflow<
  Schema extends OptionalSchema = undefined,
  Elements extends ListableAll = never,
  How extends Recover = "restart",
  Hold extends Claim = "lease",
  Input = unknown,
  Result = unknown,
>(
  name: string,
  form: ListOptions<Schema, Elements, How, Hold> | Body<Input, Result>,
): [Elements] extends [never]
  ? Workflow<Input, Stored<Awaited<Result>>>
  : Workflow<Taken<Schema, InputOfAll<Elements>>, ListResult<Reading<Elements, SettingOf<Schema, How, Hold>>>, Elements>
export function workflow<Schema extends OptionalSchema = undefined, Input = unknown, Result = unknown>(
  name: string,
  options: CommonOptions<Schema>,
  body: Body<Checked<Schema, Input>, Result>,
): Workflow<Taken<Schema, Input>, Stored<Awaited<Result>>>
export function workflow(name: string, form: unknown, body?: unknown): Workflow {
  checkWorkflowName(name)
  checkOrder(name, form, body)
  if (typeof form === "function") return functionWorkflow(name, {}, form as Body<unknown, unknown>)
  if (!isObject(form)) throw fault(name, "the second argument must be options or a function")
  if (typeof body === "function") return functionWorkflow(name, form, body as Body<unknown, unknown>)
  if (!Array.isArray(form.steps)) throw fault(name, "needs `steps: [...]`, or a function as the last argument")
  return listWorkflow(name, form as unknown as GivenOptions)
}

/** What stands in the wrong place would be ignored, and with it the retries or the deadline that it asks for. */
function checkOrder(name: string, form: unknown, body: unknown): void {
  if (body === undefined || typeof body === "function") return
  if (typeof form === "function") throw fault(name, "its options stand before the function: workflow(name, { … }, fn)")
  throw fault(name, "the last argument must be a function; the options of a list stand beside its `steps`")
}

type GivenOptions = CommonOptions<StandardSchemaV1> & {
  readonly steps: readonly AnyElement[]
  readonly recover?: Recover
  readonly claim?: Claim
}

function listWorkflow(name: string, options: GivenOptions): Workflow {
  checkOptions(name, options, OF_LISTS)
  checkChoice(name, "recover", options.recover, ["restart", "resume"])
  checkChoice(name, "claim", options.claim, ["lease", "transaction"])
  const { recover = "restart", claim = "lease" } = options
  const elements = Object.freeze(options.steps.map((element, at) => toListElement(name, element, at)))
  checkList(name, elements, { recover, claim, downstream: options.downstream })
  return finished({ kind: "list", name, elements, recover, claim, ...commonOf(name, options) })
}

function functionWorkflow(
  name: string,
  options: CommonOptions<OptionalSchema>,
  body: Body<unknown, unknown>,
): Workflow {
  checkOptions(name, options, COMMON)
  const common = commonOf(name, options)
  return finished({ kind: "function", name, elements: NO_ELEMENTS, recover: "resume", claim: "lease", ...common, body })
}

function commonOf(name: string, options: CommonOptions<OptionalSchema>) {
  const { input, priority, deadline, retain, events, downstream } = options
  if (input !== undefined && !isStandardSchema(input)) {
    throw fault(name, "`input` must be a Standard Schema validator, such as one of zod, valibot or arktype")
  }
  checkChoice(name, "priority", priority, PRIORITIES)
  downstreamName(downstream)
  const { retry, timeoutMs } = readLimits(`workflow ${name}`, options)
  const limits = {
    deadline: isoDuration(`workflow ${name}: \`deadline\``, deadline),
    retain: isoDuration(`workflow ${name}: \`retain\``, retain),
  }
  return {
    retry: Object.freeze({ ...DEFAULT_RETRY, ...retry }),
    ...present({ input, timeoutMs, downstream, priority, events, ...limits }),
  }
}

/** What the checks above do not know about, such as the form of a user task, the parser of definitions does. */
function finished(fields: Omit<Workflow, "toDefinition">): Workflow {
  const made: Workflow = Object.freeze({ ...fields, toDefinition: () => toDefinition(made) })
  const parsed = parseDefinition(made.toDefinition())
  if ("definition" in parsed) return made
  const [first] = parsed.violations
  throw fault(fields.name, `${first?.path} ${first?.message}: ${first?.hint}`)
}
