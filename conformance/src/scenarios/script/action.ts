// The vocabulary of scripts. `conformance/scenarios/README.md` explains each word with an example.

interface Outcome {
  /** Keeps the answer under this name, for `$name.field` further down. */
  readonly as?: string
  /** What the answer must be like: fields that are not named are not looked at. */
  readonly expect?: unknown
  /** The codes of which one refuses the call; a call that is taken fails the scenario. */
  readonly refused?: string | readonly string[]
  /** What the words of that refusal match. */
  readonly says?: string
  /** The program that gets the action. Without it, that of the cell. A new name starts another program. */
  readonly by?: string
}

interface Start extends Outcome {
  /** Id of the definition; the instance is kept as `it` unless `as` names it. */
  readonly start: string
  readonly variables?: object
  readonly businessKey?: string
  readonly definitionVersion?: number
  readonly idempotencyKey?: string
  readonly priority?: string
}

interface Call extends Outcome {
  /** A command of the control protocol. */
  readonly call: string
  readonly with?: object
}

interface Until extends Omit<Outcome, "refused"> {
  /** A command that is sent again until its answer is as expected. */
  readonly until: string
  readonly with?: object
  /** Done before each look. */
  readonly doing?: readonly Call[]
}

interface Ended {
  /** Name of an instance: waits until it has ended. */
  readonly ended: string
  readonly expect?: unknown
}

interface StandsAt {
  /** Waits until the instance stands at exactly these steps. */
  readonly standsAt: readonly string[]
  readonly of?: string
  readonly expect?: unknown
}

interface History {
  /** Name of an instance: its step executions as `step STATUS`. */
  readonly history: string
  readonly expect: unknown
}

interface Audit {
  /** Name of an instance: its audit trail, read over REST. */
  readonly audit: string
  /** Every kind in order. */
  readonly kinds?: unknown
  /** How often each of these kinds occurs. */
  readonly counts?: Readonly<Record<string, number>>
  /** What the items must be. */
  readonly expect?: unknown
  /** Waits until it is so. */
  readonly eventually?: boolean
}

interface Read {
  /** A path of the REST API, which the suite itself reads, again until it is as expected. */
  readonly read: string
  readonly expect: unknown
  readonly as?: string
}

interface Send {
  /** What the suite itself sends over REST, such as `PUT /v1/downstreams/x`. */
  readonly send: string
  readonly body?: unknown
  readonly as?: string
  readonly expect?: unknown
  readonly status?: number
}

interface Each {
  /** Runs `do` once for each case, all at once; `$case` is the case. */
  readonly each: readonly unknown[]
  readonly do: readonly Action[]
}

interface Together {
  /** At the same moment. */
  readonly together: readonly Action[]
  /** How many of them are taken; the others are refused. All when it is left out. */
  readonly taken?: number
}

interface Kill {
  /** Name of a program: killed with -9. */
  readonly kill: string
}

interface Exits {
  /** Name of a program: waits until it has ended by itself. */
  readonly exits: string
}

export type Action = (
  | Start
  | Call
  | Until
  | Ended
  | StandsAt
  | History
  | Audit
  | Read
  | Send
  | Each
  | Together
  | Kill
  | Exits
) & {
  /** For the reader, and in the message when it fails. */
  readonly why?: string
}

/** The action of one verb. */
export type ActionOf<Verb extends string> = Extract<Action, Readonly<Record<Verb, unknown>>>
