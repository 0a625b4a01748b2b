// The YAML file of the gateway: several upstreams by path. All faults in it are reported at once.
import { readFileSync } from "node:fs"
import { UPSTREAM_DEFAULTS, type Upstream } from "@millrace/guard/gateway"
import { parseDocument } from "yaml"
import { isObject } from "../../support/json.ts"
import { isUpstreamUrl } from "../addresses.ts"
import { ConfigError } from "../config-error.ts"
import { FileFields } from "./file-fields.ts"

interface Given {
  /** WE_GATEWAY_UPSTREAM. */
  readonly upstream: string | undefined
  /** WE_GATEWAY_CONFIG_FILE. */
  readonly file: string | undefined
}

/** Empty where there is no gateway. The file and the one upstream of WE_GATEWAY_UPSTREAM may go together. */
export function readUpstreams({ upstream, file }: Given): readonly Upstream[] {
  const one = upstream === undefined ? [] : [{ ...UPSTREAM_DEFAULTS, path: "/", to: upstream }]
  if (file === undefined) return one
  const listed = parseUpstreams(file, read(file))
  if (one.length > 0 && listed.some(({ path }) => path === "/"))
    throw new ConfigError([`WE_GATEWAY_UPSTREAM and ${file} both have an upstream for /: leave one out`])
  return [...listed, ...one]
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException
    throw new ConfigError([`${file}: cannot be read (${code})`])
  }
}

export function parseUpstreams(file: string, text: string): readonly Upstream[] {
  const problems: string[] = []
  const document = parseDocument(text, { prettyErrors: true })
  for (const error of document.errors)
    problems.push(`not valid YAML, ${error.message.split("\n")[0]?.replace(/:$/, "")}`)
  const upstreams = problems.length > 0 ? [] : upstreamsOf(document.toJS(), problems)
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `${file}: ${problem}`))
  return upstreams
}

function upstreamsOf(value: unknown, problems: string[]): Upstream[] {
  const fields = new FileFields("", isObject(value) ? value : {}, problems)
  fields.only(["upstreams"])
  const list = isObject(value) ? value.upstreams : undefined
  if (!Array.isArray(list) || list.length === 0) {
    problems.push("upstreams must be a list of at least one upstream, each with path and to")
    return []
  }
  const upstreams = list.map((item, at) => upstreamOf(`upstreams[${at}]`, item, problems))
  refuseTwins(upstreams, problems)
  return upstreams
}

const SEGMENTS = /^\/$|^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/
const MOST_RETRIES = 5
const MOST_WEBSOCKETS = 100_000
const MS = { min: 1, max: 3_600_000 }

function upstreamOf(where: string, item: unknown, problems: string[]): Upstream {
  if (!isObject(item)) problems.push(`${where} must hold path and to`)
  const fields = new FileFields(`${where}.`, isObject(item) ? item : {}, problems)
  if (isObject(item)) fields.only(["path", "to", "public", "strip", "timeouts", "retries", "websockets"])
  const { public: isPublic, strip, retries } = UPSTREAM_DEFAULTS
  return {
    path: fields.text("path", "a path of whole segments such as /orders, or / for the rest", (one) =>
      SEGMENTS.test(one),
    ),
    to: fields.text("to", "a URL such as http://127.0.0.1:3000, without a user, a query and a fragment", isUpstreamUrl),
    public: fields.flag("public", isPublic),
    strip: fields.flag("strip", strip),
    timeouts: timeoutsOf(fields),
    retries: fields.integer("retries", { min: 0, max: MOST_RETRIES, fallback: retries }),
    websockets: websocketsOf(fields),
  }
}

function websocketsOf(fields: FileFields): Upstream["websockets"] {
  const { perCaller, total } = UPSTREAM_DEFAULTS.websockets
  const given = fields.within("websockets")
  given.only(["perCaller", "total"])
  return {
    perCaller: given.integer("perCaller", { min: 0, max: MOST_WEBSOCKETS, fallback: perCaller }),
    total: given.integer("total", { min: 0, max: MOST_WEBSOCKETS, fallback: total }),
  }
}

function timeoutsOf(fields: FileFields): Upstream["timeouts"] {
  const { connectMs, headersMs, idleMs } = UPSTREAM_DEFAULTS.timeouts
  const given = fields.within("timeouts")
  given.only(["connect", "headers", "idle"])
  return {
    connectMs: given.duration("connect", { ...MS, fallback: connectMs }),
    headersMs: given.duration("headers", { ...MS, fallback: headersMs }),
    idleMs: given.duration("idle", { ...MS, fallback: idleMs }),
  }
}

/** An upstream that does not tell upper from lower case would serve both. */
function refuseTwins(upstreams: readonly Upstream[], problems: string[]): void {
  upstreams.forEach(({ path }, at) => {
    const first = upstreams.findIndex((other) => other.path.toLowerCase() === path.toLowerCase())
    if (path !== "" && first < at)
      problems.push(`upstreams[${at}].path: ${path} is the path of upstreams[${first}] already: give each its own`)
  })
}
