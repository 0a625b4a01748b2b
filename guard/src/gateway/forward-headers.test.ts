import { describe, expect, test } from "vitest"
import { answerHeaders } from "./answer-headers.ts"
import { forwardHeaders, type Sender } from "./forward-headers.ts"
import { SENDER } from "./test-support/bare-gateway.ts"

function sent(given: Record<string, string>, sender: Partial<Sender> = {}): Record<string, string | undefined> {
  const rawHeaders = Object.entries(given).flat()
  const flat = forwardHeaders({ rawHeaders, headers: { connection: given.Connection } }, { ...SENDER, ...sender }, [
    "session",
    "__Host-session",
  ])
  return Object.fromEntries(flat.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), flat[at + 1]]] : [])))
}

const OURS = {
  "x-forwarded-for": "203.0.113.7",
  "x-forwarded-proto": "http",
  "x-forwarded-host": "gateway.test",
  "x-request-id": "r-1",
  "x-millrace-client": "user:7",
  "x-millrace-role": "USER",
}

describe("E-19: what an upstream is sent", () => {
  test("the caller's headers, and ours", () => {
    expect(sent({ Accept: "text/html", "X-Own": "1" })).toEqual({ accept: "text/html", "x-own": "1", ...OURS })
  })

  test("E-19: nothing that speaks of the caller's connection, nor what Connection names", () => {
    const hop = [
      "Keep-Alive",
      "Proxy-Authorization",
      "Proxy-Connection",
      "TE",
      "Trailer",
      "Transfer-Encoding",
      "Upgrade",
    ]
    const given = Object.fromEntries(hop.map((name) => [name, "x"]))
    expect(sent({ ...given, Connection: "close, X-Secret , x-forwarded-for", "x-secret": "1", Expect: "x" })).toEqual(
      OURS,
    )
  })

  test.each([
    "X-Millrace-Client",
    "x-millrace-role",
    "X-Millrace-Anything",
    "X_Millrace_Role",
    "X-Forwarded-For",
    "X-Forwarded-Port",
    "X_Forwarded_For",
    "Forwarded",
    "X-Real-IP",
    "True-Client-IP",
    "X-Request-ID",
    "X-Original-URL",
    "X-Rewrite-URL",
    "X-Original-Method",
    "CF-Connecting-IP",
    "Proxy",
    "Remote-User",
    "Remote-Groups",
    "REMOTE_USER",
    "X-Remote-User",
    "X_Remote_User",
    "X-Authenticated-User",
    "X-Authenticated-Userid",
    "X-WebAuth-User",
    "X_WebAuth_User",
    "X-Auth-Request-Email",
    "X-Authentik-Username",
    "X-Pomerium-Jwt-Assertion",
    "X-Consumer-Username",
    "X-Goog-IAP-JWT-Assertion",
    "X-Goog-Authenticated-User-Email",
    "X-Amzn-Oidc-Identity",
    "X-MS-Client-Principal",
    "X-MS-Client-Principal-Name",
    "Cf-Access-Authenticated-User-Email",
    "Tailscale-User-Login",
    "X-SSL-Client-Verify",
    "SSL-Client-S-DN",
    "X.Millrace.Role",
    "X-Remote_User",
    "Remote~User",
  ])("SEC-04: a caller's %s is not believed", (name) => {
    expect(sent({ [name]: "admin" })).toEqual(OURS)
  })

  test("SEC-04: headers that only look a little like those go on", () => {
    const given = { "Proxy-Version": "1", "X-Remoteness": "2", "X-Users": "3", Remoted: "4", "X-Proxy": "5" }
    const lower = Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]))
    expect(sent(given)).toEqual({ ...lower, ...OURS })
  })

  test("E-19: what Connection names is taken off by its own spelling", () => {
    expect(sent({ Connection: "close, x_secret", X_Secret: "1", "X-Kept": "2" })).toEqual({ "x-kept": "2", ...OURS })
  })

  test("SEC-46: the guard's own credential stays here, another server's goes on", () => {
    expect(sent({ Authorization: "Bearer ours" })).toEqual(OURS)
    expect(sent({ Authorization: "Basic theirs" }, { ownsAuthorization: false })).toMatchObject({
      authorization: "Basic theirs",
    })
  })

  test("SEC-46: the guard's cookies stay here, and the others go on", () => {
    expect(sent({ Cookie: "a=1; session=secret; b=session; __Host-session=secret" }).cookie).toBe("a=1; b=session")
    expect(sent({ Cookie: "session=secret" })).toEqual(OURS)
    expect(sent({ Cookie: "sessions=1" }).cookie).toBe("sessions=1")
  })

  test("a trace goes on as ours where we are in it, and as it came where we are not", () => {
    expect(sent({ traceparent: "theirs", tracestate: "a=b" })).toMatchObject({
      traceparent: "theirs",
      tracestate: "a=b",
    })
    expect(sent({ traceparent: "theirs", tracestate: "a=b" }, { traceparent: "ours" })).toEqual({
      ...OURS,
      traceparent: "ours",
    })
  })

  test("an anonymous caller has no name and no role", () => {
    const { "x-millrace-client": client, "x-millrace-role": role, ...rest } = OURS
    expect(sent({ "X-Millrace-Client": "user:1" }, { client: undefined, role: undefined })).toEqual(rest)
    expect([client, role]).toEqual(["user:7", "USER"])
  })
})

describe("E-19: what the caller is answered", () => {
  const answered = (headers: Record<string, string | string[]>) =>
    answerHeaders({ headers, own: { "x-request-id": "r-1" }, cookies: ["session"] })

  test("the upstream's headers without those of its connection, and our request id", () => {
    expect(
      answered({
        "content-type": "text/plain",
        connection: "keep-alive, x-hop",
        "x-hop": "1",
        "keep-alive": "timeout=5",
        "transfer-encoding": "chunked",
        "x-request-id": "theirs",
        "x-millrace-role": "ADMIN",
        vary: ["a", "b"],
      }),
    ).toEqual(["content-type", "text/plain", "vary", "a", "vary", "b", "x-request-id", "r-1"])
  })

  test.each([
    ["clear-site-data", '"cookies"'],
    ["service-worker-allowed", "/"],
    ["strict-transport-security", "max-age=31536000; includeSubDomains"],
    ["alt-svc", 'h2="elsewhere.example:443"'],
    ["nel", '{"report_to":"x","max_age":1}'],
    ["report-to", '{"group":"x","endpoints":[{"url":"https://elsewhere.example"}]}'],
    ["accept-ch", "Device-Memory"],
    ["set-login", "logged-out"],
    ["origin-agent-cluster", "?1"],
  ])("SEC-19, SEC-46: an upstream does not act on the gateway's whole origin: %s", (name, value) => {
    expect(answered({ [name]: value, etag: "x" })).toEqual(["etag", "x", "x-request-id", "r-1"])
  })

  test("SEC-19: an upstream sets no session of the guard's", () => {
    expect(
      answered({ "set-cookie": ["session=planted; Path=/", "theirs=1", " session =x", "=session=planted"] }),
    ).toEqual(["set-cookie", "theirs=1", "x-request-id", "r-1"])
  })
})
