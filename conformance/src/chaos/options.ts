// The command line of the kill test.
import { parseArgs } from "node:util"
import { SDKS, type Sdk } from "../scenarios/matrix.ts"

export interface ChaosOptions {
  /** Whichever comes first ends the run. */
  readonly kills: number
  readonly minutes: number
  readonly seed: number
  readonly nodes: number
  /** Also kills PostgreSQL itself, postmaster and backends. */
  readonly withPostgres: boolean
  /** Also `millrace start` and an SDK worker, each in a process of its own. */
  readonly withRest: boolean
  /** Also a broker of Kafka and workers that read it, and the mode of dispatch is switched twice. */
  readonly withKafka: boolean
  /** Jobs in bulk, as fast as they are taken, instead of orders. */
  readonly flood: boolean
  /** The smallest number of jobs in a flood. */
  readonly jobs: number
  /** Languages whose workers run against two replicas; none is the kill test of engines. */
  readonly workers: readonly Sdk[]
  /** Where databases and journals go; kept when something is wrong. */
  readonly folder: string | undefined
}

export const HELP = `npm run chaos -- [options]

Kills engine processes with -9 at random moments, under load, on a real PostgreSQL with fsync on, and then proves that every accepted
instance and every accepted job came to an end, that none was lost, that no result was committed twice, that what was refused left no
trace, and that no limit was exceeded.

  --kills <n>        how many processes are killed (default 200; 20 takes less than a minute)
  --minutes <n>      kills for so long instead, however many that are; with both, whichever comes first
  --nodes <n>        engine processes, each with its workers; in a flood REST servers (default 2)
  --in-process       leave out the REST server and the SDK worker, which have processes of their own
  --kafka            with a real broker of Kafka (tools/kafka.sh; needs Java 17 and Maven) and workers that read it: the mode of dispatch is
                     switched from polling to kafka_outbox and back under load; also kills these workers, the broker and PostgreSQL, and
                     proves that no message is left unread and no job was dispatched twice at a time (20 take one to two minutes)
  --with-postgres    also kills PostgreSQL itself, every tenth time
  --flood            instead: jobs in bulk over REST, as fast as servers, workers and PostgreSQL take them while all of these are killed and
                     workers are frozen for longer than their leases; then a ledger of files is held against the database, job by job
                     (30 kills take about a minute)
  --jobs <n>         of a flood: so many at least, and the kills keep step with them (default: 1000 for each kill)
  --workers <names>  instead: two replicas of the server behind workers of these languages (typescript,go,java,python), each over REST and
                     gRPC with both addresses; kills a replica or a worker at a time, and proves that the others go on
  --seed <n>         replays the schedule of an earlier run
  --folder <path>    where database and journals go (default: a temporary folder, removed when all is well)
  --help

Exit code 0: nothing was violated. 1: something was; the report names it, and the folder is kept.
`

/** Undefined when only help was asked for. */
export function readOptions(args: readonly string[]): ChaosOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      kills: { type: "string" },
      minutes: { type: "string" },
      nodes: { type: "string", default: "2" },
      seed: { type: "string" },
      folder: { type: "string" },
      workers: { type: "string", default: "" },
      flood: { type: "boolean", default: false },
      jobs: { type: "string" },
      kafka: { type: "boolean", default: false },
      "with-postgres": { type: "boolean", default: false },
      "in-process": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  })
  if (values.help) return undefined
  if (values.kafka && (values["in-process"] || values.workers))
    throw new Error("--kafka needs the REST server and has workers of its own: leave out --in-process and --workers")
  if (values.flood && (values["in-process"] || values.workers || values.kafka))
    throw new Error(
      "--flood needs the REST server and has workers of its own: leave out --in-process, --kafka and --workers",
    )
  const length = readLength(values)
  return {
    ...length,
    nodes: wholeNumber("nodes", values.nodes, [1, 16]),
    seed: values.seed === undefined ? Date.now() % 1_000_000_007 : wholeNumber("seed", values.seed, [0, 4_294_967_295]),
    withPostgres: values["with-postgres"] || values.kafka || values.flood,
    withKafka: values.kafka,
    flood: values.flood,
    jobs: readJobs(values.jobs, length.kills),
    withRest: !values["in-process"],
    workers: languages(values.workers),
    folder: values.folder,
  }
}

/** Without end where it was not asked for: one of both always ends it. */
function readLength({ kills, minutes }: { kills?: string | undefined; minutes?: string | undefined }) {
  return {
    kills: kills === undefined && minutes !== undefined ? Infinity : wholeNumber("kills", kills ?? "200", [0, 100_000]),
    minutes: minutes === undefined ? Infinity : wholeNumber("minutes", minutes, [1, 10_000]),
  }
}

const JOBS_PER_KILL = 1_000

/** Where it is time that ends the run, kills wait for no job. */
function readJobs(jobs: string | undefined, kills: number): number {
  if (jobs !== undefined) return wholeNumber("jobs", jobs, [0, 100_000_000])
  return Number.isFinite(kills) ? JOBS_PER_KILL * kills : 0
}

function languages(text: string): Sdk[] {
  return text
    .split(",")
    .filter((name) => name !== "")
    .map((name) => {
      const sdk = SDKS.find((one) => one === name)
      if (!sdk) throw new Error(`--workers ${name} is not one of ${SDKS.join(", ")}`)
      return sdk
    })
}

function wholeNumber(name: string, text: string, [min, max]: readonly [number, number]): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new Error(`--${name} must be a whole number from ${min} to ${max}, not ${text}`)
}
