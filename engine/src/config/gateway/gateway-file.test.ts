import { expect, test } from "vitest"
import { loadConfig } from "../../config.ts"
import { ConfigError } from "../config-error.ts"
import { parseUpstreams, readUpstreams } from "./gateway-file.ts"

const problemsOf = (text: string): readonly string[] => {
  try {
    parseUpstreams("gateway.yaml", text)
    return []
  } catch (error) {
    return (error as ConfigError).problems
  }
}

test("E-19: upstreams by path, with defaults for what is left out", () => {
  const text = `
upstreams:
  - path: /
    to: http://127.0.0.1:3000
  - path: /orders/v2
    to: https://orders.internal:8443/api
    public: true
    strip: true
    timeouts: { connect: 500ms, headers: 2s, idle: 5m }
    retries: 0
    websockets: { perCaller: 5, total: 50 }
`
  expect(parseUpstreams("gateway.yaml", text)).toEqual([
    {
      path: "/",
      to: "http://127.0.0.1:3000",
      public: false,
      strip: false,
      timeouts: { connectMs: 5_000, headersMs: 30_000, idleMs: 60_000 },
      retries: 1,
      websockets: { perCaller: 100, total: 1_000 },
    },
    {
      path: "/orders/v2",
      to: "https://orders.internal:8443/api",
      public: true,
      strip: true,
      timeouts: { connectMs: 500, headersMs: 2_000, idleMs: 300_000 },
      retries: 0,
      websockets: { perCaller: 5, total: 50 },
    },
  ])
})

test("E-19: everything that is wrong is told at once, each with its place and what is allowed", () => {
  const text = `
upstream: x
upstreams:
  - path: orders
    to: ftp://files
    public: yes please
    retries: 9
    timeouts: { conect: 1s, headers: 0s, idle: [1] }
    websockets: { perClient: 1, total: -1 }
  - just a word
  - path: /a
    to: http://u:secret@h
  - path: /A
    to: http://h?x=1
    timeout: 5s
`
  const problems = problemsOf(text)
  expect(problems.map((problem) => problem.replace("gateway.yaml: ", ""))).toEqual([
    "upstream is not known: did you mean upstreams?",
    expect.stringMatching(/^upstreams\[0\]\.path: "orders" is not allowed, must be a path of whole segments/),
    expect.stringMatching(/^upstreams\[0\]\.to: "ftp:\/\/files" is not allowed, must be a URL/),
    'upstreams[0].public: "yes please" is not allowed, must be true or false',
    expect.stringMatching(/^upstreams\[0\]\.timeouts\.conect is not known: did you mean connect\?/),
    expect.stringMatching(/^upstreams\[0\]\.timeouts\.headers: "0s" is not allowed, must be a duration from 1ms to 1h/),
    expect.stringMatching(/^upstreams\[0\]\.timeouts\.idle: \[1\] is not allowed/),
    "upstreams[0].retries: 9 is not allowed, must be a whole number from 0 to 5",
    "upstreams[0].websockets.perClient is not known: there are perCaller, total",
    "upstreams[0].websockets.total: -1 is not allowed, must be a whole number from 0 to 100000",
    "upstreams[1] must hold path and to",
    expect.stringMatching(/^upstreams\[1\]\.path: is missing/),
    expect.stringMatching(/^upstreams\[1\]\.to: is missing/),
    expect.stringMatching(/^upstreams\[2\]\.to: /),
    expect.stringMatching(/^upstreams\[3\]\.timeout is not known: did you mean timeouts\?/),
    expect.stringMatching(/^upstreams\[3\]\.to: /),
    expect.stringMatching(/^upstreams\[3\]\.path: \/A is the path of upstreams\[2\] already/),
  ])
})

test.each(["", "upstreams: []", "upstreams: {}", "- a"])(
  "a file without an upstream says what to write: %j",
  (text) => {
    expect(problemsOf(text)).toContain(
      "gateway.yaml: upstreams must be a list of at least one upstream, each with path and to",
    )
  },
)

test("YAML that is none is told with its line", () => {
  expect(problemsOf("upstreams: [")[0]).toMatch(/^gateway\.yaml: not valid YAML, .*line 1/)
})

test("a file that cannot be read, and a root that is given twice", () => {
  expect(() => readUpstreams({ upstream: undefined, file: "/no/such/file" })).toThrow(ConfigError)
  expect(readUpstreams({ upstream: undefined, file: undefined })).toEqual([])
  expect(readUpstreams({ upstream: "http://a:1", file: undefined })).toMatchObject([
    { path: "/", to: "http://a:1", public: false },
  ])
})

test.each(["h:3000", "http://u:p@h", "http://h/?a=b", "http://h/#f", "http://h/%41", "http://h//x", "ftp://h"])(
  "WE_GATEWAY_UPSTREAM=%s is refused",
  (url) => {
    expect(() => loadConfig({ env: { WE_GATEWAY_UPSTREAM: url } })).toThrow(/WE_GATEWAY_UPSTREAM/)
  },
)
