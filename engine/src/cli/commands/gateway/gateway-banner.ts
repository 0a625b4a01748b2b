// What a gateway says when it has started: what goes where, who may call, and what to try.
import { styleText } from "node:util"
import type { Upstream } from "@millrace/guard/gateway"

interface Facts {
  readonly version: string
  readonly restUrl: string
  readonly metricsUrl: string
  readonly upstreams: readonly Upstream[]
  /** Reachable from this machine only. */
  readonly loopback: boolean
  /** Users can sign in for a token. */
  readonly signsTokens: boolean
  readonly guard: boolean
  /** The folder of the embedded database; undefined where the operator's own is used. */
  readonly embeddedIn: string | undefined
  /** The variable that names the operator's own. */
  readonly databaseVariable: string
}

type Row = readonly [label: string, ...lines: string[]]

export function gatewayBanner(facts: Facts, colour: boolean): string {
  const paint = (style: "bold" | "cyan" | "dim", text: string) =>
    colour ? styleText(style, text, { validateStream: false }) : text
  const row = ([label, ...lines]: Row) =>
    lines.map((line, at) => `  ${paint("cyan", (at === 0 ? label : "").padEnd(10))} ${line}`).join("\n")
  const title = paint("bold", `Millrace ${facts.version}: the gateway is running`)
  const end = paint("dim", "Ctrl-C finishes what is under way and stops everything.")
  return ["", `  ${title}`, "", ...rows(facts).map(row), "", `  ${end}`, ""].join("\n")
}

function rows(facts: Facts): Row[] {
  const base = facts.restUrl.replace(/\/$/, "")
  return [
    ["Forwards", ...facts.upstreams.map((upstream) => forwards(base, upstream))],
    ["Metrics", `${facts.metricsUrl.replace(/\/$/, "")}/metrics`],
    ["Reachable", facts.loopback ? "from this machine only (WE_BIND_ADDRESS)" : "from other machines"],
    ["Callers", ...callers(facts)],
    ["Guard", facts.guard ? "limits and abuse detection are on (WE_GUARD)" : "off (WE_GUARD)"],
    [
      "Database",
      facts.embeddedIn === undefined
        ? `your own (${facts.databaseVariable})`
        : `embedded PostgreSQL in ${facts.embeddedIn}`,
    ],
    ["Try", tryIt(base, facts)],
  ]
}

const forwards = (base: string, { path, to, public: isPublic }: Upstream): string =>
  `${base}/gateway${path === "/" ? "" : path}/… → ${to}${isPublic ? ", for anyone" : ""}`

const callers = ({ signsTokens }: Facts): string[] => [
  "with a key of the scope gateway: millrace keys create <name> --scope gateway",
  signsTokens
    ? "or with a token of POST /auth/login: millrace users add <name> --email <address>"
    : "users cannot sign in: set WE_JWT_SECRET (32 bytes or more) for POST /auth/login",
]

const tryIt = (base: string, { upstreams }: Facts): string => {
  const open = upstreams.find((upstream) => upstream.public)
  const path = open === undefined || open.path === "/" ? "/" : open.path
  return `curl -i ${open ? "" : "-H 'authorization: Bearer <key or token>' "}${base}/gateway${path}`
}
