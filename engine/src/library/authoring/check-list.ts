// What a list must fulfil as a whole: names, waits, downstreams. The compiler says most of it first.
import { fault } from "./check-authoring.ts"
import { type Downstream, downstreamName } from "./downstream.ts"
import type { ListElement } from "./list-element.ts"
import { isGoTo } from "./on-timeout.ts"
import { isStandardSchema } from "./standard-schema.ts"

const ELEMENT_NAME = /^[A-Za-z0-9_:.-]{1,128}$/
const FORBIDDEN = new Set(["__proto__", "prototype", "constructor"])

interface ListSettings {
  readonly recover: string
  readonly claim: string
  /** The downstream of the whole workflow. */
  readonly downstream?: Downstream | string | undefined
}

export function checkList(name: string, elements: readonly ListElement[], settings: ListSettings): void {
  const { recover, claim, downstream } = settings
  if (elements.length === 0) throw fault(name, "`steps` is empty: a list needs at least one step")
  if (claim === "transaction" && recover === "resume") {
    throw fault(name, 'claim: "transaction" works only with recover: "restart": leave one of them out')
  }
  checkWaits(name, elements, { recover, claim })
  checkUndos(name, elements, recover)
  for (const [at, element] of elements.entries()) {
    checkElementName(name, element, at)
    checkParts(name, element, at)
  }
  checkUnique(name, elements)
  checkTargets(name, elements)
  checkDownstreams(name, [downstream, ...elements.map((each) => (each.kind === "step" ? each.downstream : undefined))])
}

function checkWaits(name: string, elements: readonly ListElement[], { recover, claim }: ListSettings): void {
  const wait = elements.find(({ kind }) => kind !== "step")
  if (wait === undefined || recover === "resume") return
  const why =
    claim === "transaction"
      ? 'a transaction cannot stay open over it: leave out claim: "transaction" and use recover: "resume"'
      : 'a restart list would run everything before it again: use recover: "resume"'
  throw fault(name, `\`${wait.name}\` is a wait, and ${why}`)
}

/** What a restart list has done is not on record before its end: there would be nothing to undo. */
function checkUndos(name: string, elements: readonly ListElement[], recover: string): void {
  const undoable = elements.find((element) => element.kind === "step" && element.undo !== undefined)
  if (undoable === undefined || recover === "resume") return
  throw fault(
    name,
    `\`${undoable.name}\` has an undo, and a restart list keeps no record of its steps: use recover: "resume"`,
  )
}

function checkElementName(workflow: string, { kind, name }: ListElement, at: number): void {
  const here = `steps[${at}]`
  if (name === "") {
    throw fault(workflow, `${here} is an anonymous function: give it a name, or write step("name", fn)`)
  }
  const instead = kind === "step" ? `write step("name", fn)` : "give it another name"
  if (typeof name !== "string" || !ELEMENT_NAME.test(name) || FORBIDDEN.has(name)) {
    const alphabet = "1 to 128 letters, digits, `_`, `:`, `-` and `.`"
    throw fault(workflow, `${here} is called ${JSON.stringify(name)}, but a name has ${alphabet}: ${instead}`)
  }
}

/** What the types do not let through, for those who write without them. */
function checkParts(workflow: string, element: ListElement, at: number): void {
  const here = `steps[${at}], \`${element.name}\`,`
  if (element.kind === "step" && typeof element.run !== "function") {
    throw fault(workflow, `${here} has no function: write step("name", fn)`)
  }
  if (element.kind === "step" && element.undo !== undefined && typeof element.undo !== "function") {
    throw fault(workflow, `${here} has an undo that is no function: write step("name", fn, { undo: fn })`)
  }
  if ("schema" in element && !isStandardSchema(element.schema)) {
    throw fault(
      workflow,
      `${here} has a schema that is no Standard Schema validator, such as one of zod, valibot or arktype`,
    )
  }
}

/** Checkpoints are kept by name, so a name, old or new, stands for one element. */
function checkUnique(workflow: string, elements: readonly ListElement[]): void {
  const seen = new Set<string>()
  for (const { kind, name } of elements) {
    if (seen.has(name)) throw fault(workflow, `two steps are called \`${name}\`: ${otherName(kind)}`)
    seen.add(name)
  }
  for (const old of elements.flatMap(({ was }) => was)) {
    if (seen.has(old))
      throw fault(workflow, `\`was\` names \`${old}\`, which another step is or was called: correct it`)
    seen.add(old)
  }
}

/** A list only goes forward: what is behind a run is done once. */
function checkTargets(workflow: string, elements: readonly ListElement[]): void {
  for (const [at, element] of elements.entries()) {
    if (!("onTimeout" in element) || !isGoTo(element.onTimeout)) continue
    const { goTo } = element.onTimeout
    if (elements.slice(at + 1).some(({ name }) => name === goTo)) continue
    throw fault(workflow, `onTimeout of \`${element.name}\` goes to \`${goTo}\`, which is no later step of the list`)
  }
}

/** A list is one job, and a job stands in one queue. */
function checkDownstreams(workflow: string, downstreams: readonly (Downstream | string | undefined)[]): void {
  const names = downstreams.flatMap((each) => downstreamName(each) ?? [])
  const other = names.find((name) => name !== names[0])
  if (other !== undefined)
    throw fault(workflow, `its steps go to \`${names[0]}\` and to \`${other}\`: a list is one job, for one downstream`)
}

const otherName = (kind: ListElement["kind"]): string =>
  ({
    step: 'name one with step("name", fn)',
    signal: 'name one with waitForSignal(name, { as: "name" })',
    sleep: 'name one with sleep(duration, { name: "name" })',
    task: "name one of them differently",
  })[kind]
