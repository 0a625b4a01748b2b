// The commands that speak to a running engine: each group is loaded when it is called for, so that `--help` need not wait.
import type { Command } from "commander"
import type { Surroundings } from "../surroundings.ts"

export type AddCommands = (group: Command, around: Surroundings) => void

interface Group {
  readonly description: string
  readonly load: () => Promise<AddCommands>
}

export const OPERATOR_GROUPS: Readonly<Record<string, Group>> = {
  queues: {
    description: "How full each lane is, which gates are shut, what is paused; pause and resume a lane.",
    load: async () => (await import("./queue-commands.ts")).addQueueCommands,
  },
  jobs: {
    description: "Enqueue, show and cancel single jobs.",
    load: async () => (await import("./job-commands.ts")).addJobCommands,
  },
  dlq: {
    description: "Dead letters: list, group by error, show, replay, discard.",
    load: async () => (await import("./dead-letter-commands.ts")).addDeadLetterCommands,
  },
  schedules: {
    description: "Schedules: list, create, enable, disable, run now, what they did.",
    load: async () => (await import("./schedule-commands.ts")).addScheduleCommands,
  },
  weights: {
    description: "How the three lanes share the workers; set and reset.",
    load: async () => (await import("./weight-commands.ts")).addWeightCommands,
  },
  watermarks: {
    description: "At which depth a lane refuses new jobs, and below which it takes them again.",
    load: async () => (await import("./watermark-commands.ts")).addWatermarkCommands,
  },
  downstreams: {
    description: "How fast the systems behind your handlers may be called.",
    load: async () => (await import("./downstream-commands.ts")).addDownstreamCommands,
  },
  pauses: {
    description: "Hold back a job type or a definition, and let it go again.",
    load: async () => (await import("./pause-commands.ts")).addPauseCommands,
  },
}

/** Every command has options; saying so would only take the room from what it does. */
const subcommandTerm = (command: Command): string =>
  [
    command.name(),
    ...command.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`)),
  ].join(" ")

/** Every group has its line in the help; only the one that is called for has its commands. */
export async function addOperatorGroups(
  program: Command,
  around: Surroundings,
  argv: readonly string[],
): Promise<void> {
  const called = argv.find((word) => !word.startsWith("-"))
  program.commandsGroup("Operate a running engine (WE_URL, WE_API_KEY):")
  for (const [name, { description, load }] of Object.entries(OPERATOR_GROUPS)) {
    const group = program.command(name).description(description).helpCommand(false).configureHelp({ subcommandTerm })
    if (name === called) (await load())(group, around)
  }
}
