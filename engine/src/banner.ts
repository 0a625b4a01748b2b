// The start banner: what runs, who can reach it, and what to try, in plain words.
import { styleText } from "node:util"

/** The definition that `millrace dev` brings along, with a worker for it. */
export const SAMPLE_DEFINITION_ID = "hello"

interface BannerFacts {
  readonly version: string
  readonly restUrl: string
  readonly metricsUrl: string
  readonly grpcUrl: string
  /** Reachable from this machine only. */
  readonly loopback: boolean
  /** Callers need an API key. */
  readonly keyNeeded: boolean
  /** Networks whose callers need none. */
  readonly trustedNetworks: readonly string[]
  /** What the guard does; undefined where it is off. */
  readonly guard?: string | undefined
  /** Where the database is the operator's own: the variable that has named it. */
  readonly databaseVariable?: string
  /** Undefined when the database is the operator's own. */
  readonly embedded?: {
    readonly port: number
    readonly dataDir: string
    readonly passwordFile: string
    readonly reattached: boolean
  }
  readonly sample: boolean
}

type Row = readonly [label: string, ...lines: string[]]

/** `pretty` adds colour; the words are the same. */
export function banner(facts: BannerFacts, pretty: boolean): string {
  const paint = (style: "bold" | "cyan" | "dim", text: string) =>
    pretty ? styleText(style, text, { validateStream: false }) : text
  const row = ([label, ...lines]: Row) =>
    lines.map((line, i) => `  ${paint("cyan", (i === 0 ? label : "").padEnd(10))} ${line}`).join("\n")
  const title = paint("bold", `Millrace ${facts.version} is running`)
  const end = paint("dim", "Ctrl-C finishes open work and stops everything.")
  return ["", `  ${title}`, "", ...rows(facts).map(row), "", `  ${end}`, ""].join("\n")
}

function rows(facts: BannerFacts): Row[] {
  return [
    ["Dashboard", `${facts.restUrl.replace(/\/$/, "")}/ui/`],
    ["REST", facts.restUrl],
    ["gRPC", facts.grpcUrl],
    ["Metrics", `${facts.metricsUrl.replace(/\/metrics\/?$/, "")}/metrics`],
    ["Reachable", reach(facts)],
    ...(facts.trustedNetworks.length > 0 ? [trusted(facts)] : []),
    ...(facts.guard === undefined ? [] : [["Guard", facts.guard] as const]),
    database(facts),
    ...(facts.sample ? [tryIt(facts)] : []),
  ]
}

function reach({ loopback, keyNeeded }: BannerFacts): string {
  const from = loopback ? "from this machine only" : "from other machines"
  return `${from}, ${keyNeeded ? "with an API key (millrace keys create)" : "no credentials needed"}`
}

const trusted = ({ trustedNetworks }: BannerFacts): Row => [
  "Trusted",
  `${trustedNetworks.join(", ")}: no key needed from there (WE_TRUSTED_NETWORKS)`,
]

function database({ embedded, databaseVariable }: BannerFacts): Row {
  if (!embedded) return ["Database", `your own (${databaseVariable})`]
  const psql = `PGPASSWORD=$(cat ${shellWord(embedded.passwordFile)}) psql -h 127.0.0.1 -p ${embedded.port} -U millrace millrace`
  const found = embedded.reattached ? " (it was still running and has been taken over)" : ""
  return ["Database", `embedded PostgreSQL in ${embedded.dataDir}${found}`, psql]
}

const tryIt = ({ restUrl, keyNeeded }: BannerFacts): Row => [
  "Try",
  `curl -s -X POST ${restUrl.replace(/\/$/, "")}/v1/instances -H 'content-type: application/json' \\`,
  `  ${keyNeeded ? "-H 'authorization: Bearer <key>' " : ""}-d '{"definitionId":"${SAMPLE_DEFINITION_ID}","variables":{"name":"Ada"}}'`,
]

const shellWord = (path: string): string => (/^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`)
