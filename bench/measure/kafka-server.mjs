// A private Kafka for a run, by the script of the repository. It needs Java 17 and, the first time, Maven.
import { execFile } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const SCRIPT = fileURLToPath(new URL("../../tools/kafka.sh", import.meta.url))

export async function startKafka(directory) {
  const folder = join(directory, `kafka-${process.pid}`)
  const run = async (...words) => (await promisify(execFile)(SCRIPT, [...words, "--dir", folder])).stdout
  const told = await run("start", "--port", "0")
  return { broker: /^KAFKA_BOOTSTRAP=(.*)$/m.exec(told)[1], stop: () => run("stop") }
}
