// The commands that speak to a running engine: each group is loaded when it is called for, so that `--help` need not wait.
import type { Command } from "commander"
import type { Surroundings } from "./terminal/surroundings.ts"

export type AddCommands = (group: Command, around: Surroundings) => void

interface Group {
  readonly description: string
  readonly alias?: string
  readonly load: () => Promise<AddCommands>
}

export const OPERATOR_GROUPS: Readonly<Record<string, Group>> = {
  queues: {
    description: "How many jobs wait at each priority, which gates are shut, what is paused; pause and resume.",
    load: async () => (await import("./commands/queues.ts")).addQueueCommands,
  },
  instances: {
    description: "Runs of workflows: list, show, start, watch, signal, cancel, retry, restart, history.",
    load: async () => (await import("./commands/instances/instances.ts")).addInstanceCommands,
  },
  definitions: {
    description: "Workflows as they are stored: list, show, upload, check a file, compare versions.",
    load: async () => (await import("./commands/definitions/definitions.ts")).addDefinitionCommands,
  },
  tasks: {
    description: "What waits for a person: list, show, claim, delegate, due date, complete.",
    load: async () => (await import("./commands/tasks/tasks.ts")).addTaskCommands,
  },
  workers: {
    description: "Who asks for work, for which job types, and what each has in hand.",
    load: async () => (await import("./commands/workers.ts")).addWorkerCommands,
  },
  jobs: {
    description: "Single jobs: list, show, enqueue, cancel.",
    load: async () => (await import("./commands/jobs/jobs.ts")).addJobCommands,
  },
  "dead-letters": {
    description: "Jobs and steps that were given up: list, group by error, show, replay, discard.",
    alias: "dlq",
    load: async () => (await import("./commands/dead-letters/dead-letters.ts")).addDeadLetterCommands,
  },
  schedules: {
    description: "What the clock starts: list, create, enable, disable, run now, history.",
    load: async () => (await import("./commands/schedules/schedules.ts")).addScheduleCommands,
  },
  events: {
    description: "Where events go and how far; what a sink did not take: replay, discard; publish one.",
    load: async () => (await import("./commands/events/events.ts")).addEventCommands,
  },
  weights: {
    description: "How the three priorities share the workers; set and reset.",
    load: async () => (await import("./commands/weights.ts")).addWeightCommands,
  },
  watermarks: {
    description: "At which depth new jobs are refused, and below which they are taken again.",
    load: async () => (await import("./commands/watermarks.ts")).addWatermarkCommands,
  },
  downstreams: {
    description: "How fast the systems behind your handlers may be called.",
    load: async () => (await import("./commands/downstreams.ts")).addDownstreamCommands,
  },
  guard: {
    description: "Who is refused at the doors and why: status, top callers, block, unblock, shadow mode.",
    load: async () => (await import("./commands/guard/guard.ts")).addGuardCommands,
  },
  pauses: {
    description: "Hold back a job type or a definition, and hand its jobs out again.",
    load: async () => (await import("./commands/pauses.ts")).addPauseCommands,
  },
}

/** Every command has options; saying so would only take the room from what it does. */
const subcommandTerm = (command: Command): string =>
  [
    command.name(),
    ...command.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`)),
  ].join(" ")

/** The words of a program that has all of its commands, whatever it is called for. */
export const EVERY_COMMAND = Symbol("every command")

/** Every group has its line in the help; only the one that is called for has its commands. */
export async function addOperatorGroups(
  program: Command,
  around: Surroundings,
  argv: readonly string[] | typeof EVERY_COMMAND,
): Promise<void> {
  const called = argv === EVERY_COMMAND ? argv : argv.find((word) => !word.startsWith("-"))
  for (const [name, { description, alias, load }] of Object.entries(OPERATOR_GROUPS)) {
    const group = program.command(name).description(description).helpCommand(false).configureHelp({ subcommandTerm })
    if (alias !== undefined) group.alias(alias)
    if (called === EVERY_COMMAND || name === called || alias === called) (await load())(group, around)
  }
}
