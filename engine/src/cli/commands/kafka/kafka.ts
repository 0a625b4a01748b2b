// `millrace kafka`: looks whether Kafka can be used as it is set up, and makes topics; what it does there is loaded when it runs.
import type { Command } from "commander"
import { loadConfig } from "../../../config.ts"
import { positiveWhole } from "../../options/numbers.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { afterMistake } from "../group.ts"

interface TopicsOptions {
  readonly create?: boolean
  readonly partitions: number
  readonly replicas?: number
}

export function addKafka(program: Command, { env, print }: Surroundings): void {
  const kafka = program
    .command("kafka")
    .description("Look whether Kafka can be used as it is set up; list and make topics.")
    .helpCommand(false)
  kafka
    .command("check [topics...]")
    .description("Ask a broker, prove the password, and look for topics; say what is missing and what makes it.")
    .action(async (topics: string[]) => {
      const { runKafkaCheck } = await import("./visit-kafka.ts")
      process.exitCode = await runKafkaCheck(loadConfig({ env }), topics, print)
    })
  afterMistake(kafka.command("topics <topics...>"), "millrace kafka topics payment.initiated --create")
    .description(
      "Show topics: partitions, copies, and how many are behind. With --create those that are missing are made.",
    )
    .option("--create", "make those that do not exist")
    .option(
      "--partitions <n>",
      "partitions of a new topic: as many consumers of a group can share it",
      positiveWhole,
      8,
    )
    .option(
      "--replicas <n>",
      "copies of a new topic; three unless said, or as many as there are brokers",
      positiveWhole,
    )
    .action(async (topics: string[], options: TopicsOptions) => {
      const { runKafkaTopics } = await import("./visit-kafka.ts")
      process.exitCode = await runKafkaTopics(loadConfig({ env }), { ...options, names: topics }, print)
    })
}
