// The command line: what may be asked, the defaults, and one clear line for each mistake.
import { parseArgs } from "node:util"
import { BEFORE, contestants } from "./contestants/index.mjs"
import { workloads } from "./workloads/index.mjs"

const PEERS = contestants.map((contestant) => contestant.name).filter((name) => name !== "millrace")

export const HELP = `Usage: npm run bench -- [options]

Runs Millrace and its peers on one private PostgreSQL, round by round, and prints a table with the floors.

  --only LIST      workloads: ${Object.keys(workloads).join(", ")}
  --peers LIST     peers: ${PEERS.join(", ")}; none for Millrace alone
  --rounds N       how often each contestant runs each workload (3; quick: 1)
  --n N            items per run, for all workloads that count items
  --kept N         finished instances kept in the history workload (10,000,000; peers: 1,000,000), a tenth of them as well
  --seconds N      how long snapshot holds, quiet listens, jobs-overload and jobs-pace offer (60, 30, 60, 20), abuse lasts (600)
  --quick          tiny sizes, one round, one peer (pg-boss): shows that it runs, measures nothing
  --settle S       wait up to S seconds for a quiet machine before each run (8; quick: 0)
  --against COMMIT measure this working tree and that commit in turn, and say what changed; peers only where --peers names them
  --without-millrace  peers only
  --data DIR       where the cluster lives while it runs (bench/.data); must be a real disk
  --pgbin DIR      PostgreSQL binaries (newest of Debian, else the embedded ones)
  --out FILE       JSON lines (results/local/<time>.jsonl); the table goes beside it as .md
  --help           this text
`

const SPEC = {
  only: { type: "string" },
  peers: { type: "string" },
  rounds: { type: "string" },
  n: { type: "string" },
  kept: { type: "string" },
  seconds: { type: "string" },
  settle: { type: "string" },
  data: { type: "string" },
  pgbin: { type: "string" },
  out: { type: "string" },
  quick: { type: "boolean", default: false },
  against: { type: "string" },
  "without-millrace": { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
}

export function parseOptions(argv) {
  const { values } = parseArgs({ args: argv, options: SPEC })
  const { quick, help, data, pgbin, out, against } = values
  const peers = choose("--peers", values.peers, PEERS, against ? [] : quick ? ["pg-boss"] : PEERS)
  const ours = against ? ["millrace", BEFORE] : ["millrace"]
  return {
    quick,
    help,
    data,
    pgbin,
    out,
    against,
    workloads: choose("--only", values.only, Object.keys(workloads), Object.keys(workloads)),
    contestants: values["without-millrace"] ? peers : [...ours, ...peers],
    rounds: count("--rounds", values.rounds) ?? (quick ? 1 : 3),
    settleS: count("--settle", values.settle, 0) ?? (quick ? 0 : 8),
    size: {
      n: count("--n", values.n),
      kept: count("--kept", values.kept),
      seconds: count("--seconds", values.seconds),
    },
  }
}

function choose(flag, text, known, otherwise) {
  if (text === undefined) return otherwise
  if (text === "none" || text === "") return []
  const names = text.split(",").map((name) => name.trim())
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length) throw new Error(`${flag}: unknown ${unknown.join(", ")}; known are ${known.join(", ")}`)
  return known.filter((name) => names.includes(name))
}

function count(flag, text, least = 1) {
  if (text === undefined) return undefined
  const number = Number(text)
  if (!Number.isInteger(number) || number < least) throw new Error(`${flag}: ${text} is not a whole number ≥ ${least}`)
  return number
}
