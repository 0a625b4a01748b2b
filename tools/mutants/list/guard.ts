// Bugs in the guard, the gateway, and in who may come in.
import type { Mutant } from "../mutant.ts"

const SLIDING_WINDOW_TEST = "guard/src/rules/sliding-window.test.ts"
const SCORE_TEST = "guard/src/rules/score.test.ts"
const BLOOM_FILTER_TEST = "guard/src/rules/bloom-filter.test.ts"
const HARD_BLOCKS_TEST = "guard/src/hard-blocks.test.ts"
const JUDGING_TEST = "guard/src/judging.test.ts"
const FAIL_SAFE_STORE_TEST = "guard/src/stores/fail-safe-store.test.ts"
const OPERATING_TEST = "guard/src/operating.test.ts"
const SHADOW_TEST = "guard/src/shadow.test.ts"
const CREDENTIAL_FAILURES_TEST = "guard/src/credential-failures.test.ts"
const CLIENT_ADDRESS_TEST = "guard/src/rules/client-address.test.ts"
const TOKEN_VERIFIER_TEST = "guard/src/credentials/tokens/token-verifier.test.ts"
const JUDGE_FRAMING_TEST = "guard/src/gateway/judge-framing.test.ts"
const SMUGGLING_TEST = "guard/src/gateway/smuggling.test.ts"
const JUDGE_TARGET_TEST = "guard/src/gateway/judge-target.test.ts"
const FORWARD_HEADERS_TEST = "guard/src/gateway/forward-headers.test.ts"
const WEBSOCKETS_TEST = "guard/src/gateway/websockets.test.ts"
const CHOOSE_UPSTREAM_TEST = "guard/src/gateway/choose-upstream.test.ts"
const GATEWAY_TEST = "engine/src/transports/gateway/gateway.test.ts"
const GUARD_VERDICTS_TEST = "engine/src/transports/calls/guard/guard-verdicts.test.ts"
const VERIFIED_CREDENTIALS_TEST = "engine/src/transports/calls/guard/verified-credentials.test.ts"
const USERS_TEST = "engine/src/operations/people/users.test.ts"
const AUTH_TEST = "engine/src/transports/routes/people/auth.test.ts"

export const GUARD: readonly Mutant[] = [
  {
    id: "window-closed-at-its-begin",
    file: "guard/src/rules/sliding-window.ts",
    find: "atMs > nowMs - windowMs",
    replace: "atMs >= nowMs - windowMs",
    breaks: "G1: a call that is as old as the window is long does not count.",
    tests: [SLIDING_WINDOW_TEST],
  },
  {
    id: "one-call-more",
    file: "guard/src/rules/sliding-window.ts",
    find: "return counted < most ?",
    replace: "return counted <= most ?",
    breaks: "G1: in every window at most so many calls are admitted.",
    tests: [SLIDING_WINDOW_TEST],
  },
  {
    id: "name-blocks-its-owner",
    file: "guard/src/rules/score.ts",
    find: 'if (byAddress && isNear(byAddress)) return failed("throttled"',
    replace: `if (byUser && byUser.count >= byUser.threshold) return failed("soft-blocked", "failures-by-user", byUser)
  if (byAddress && isNear(byAddress)) return failed("throttled"`,
    breaks: "G4: guesses at a name never block its owner.",
    tests: [SCORE_TEST],
  },
  {
    id: "block-after-one-more",
    file: "guard/src/rules/score.ts",
    find: "if (byAddress && byAddress.count >= byAddress.threshold)",
    replace: "if (byAddress && byAddress.count > byAddress.threshold)",
    breaks: "G4: an address is blocked at its threshold.",
    tests: [SCORE_TEST],
  },
  {
    id: "filter-forgets",
    file: "guard/src/rules/bloom-filter.ts",
    find: "field[place >>> 3]! |= 1 << (place & 7)",
    replace: "field[place >>> 3] = 1 << (place & 7)",
    breaks: "G2: what was added is always found.",
    tests: [BLOOM_FILTER_TEST],
  },
  {
    id: "filter-alone-blocks",
    file: "guard/src/judging.ts",
    find: '      this.#parts.settings.failMode === "closed" ? this.#parts.acting.on(visit, unavailable(rule)) : undefined',
    replace: "      this.#parts.acting.on(visit, unavailable(rule))",
    breaks: "G2, G5: a filter alone blocks nobody where the guard fails open.",
    tests: [HARD_BLOCKS_TEST, JUDGING_TEST],
  },
  {
    id: "fail-closed-is-open",
    file: "guard/src/judging.ts",
    find: 'if (answer.isLocal && rate?.isEnforced && this.#parts.settings.failMode === "closed")',
    replace: 'if (answer.isLocal && rate?.isEnforced && this.#parts.settings.failMode !== "closed" && false)',
    breaks: "G5: a guard that fails closed refuses while its store is away.",
    tests: [JUDGING_TEST, FAIL_SAFE_STORE_TEST, OPERATING_TEST],
  },
  {
    id: "health-is-judged",
    file: "guard/src/judging.ts",
    find: `    if (visit.routeClass === "health") return ALLOWED
`,
    replace: "",
    breaks: "L4: probes of health are never refused.",
    tests: [JUDGING_TEST, OPERATING_TEST],
  },
  {
    id: "shadow-acts",
    file: "guard/src/judging.ts",
    find: 'isEnforced: !shadow.covers("rate"),',
    replace: "isEnforced: true,",
    breaks: "G3: a rule in shadow counts beside the enforced ones.",
    tests: [SHADOW_TEST],
  },
  {
    id: "client-answers-for-its-address",
    file: "guard/src/judging.ts",
    find: "if (visit.client === undefined) blocks.push(block(failed,",
    replace: "blocks.push(block(failed,",
    breaks: "G4: a verified client does not answer for what others at its address have tried.",
    tests: [JUDGING_TEST, CREDENTIAL_FAILURES_TEST],
  },
  {
    id: "rhythm-of-all-classes",
    file: "guard/src/keys.ts",
    find: 'softBlockKey(space, "regularity", inClass(routeClass, subject))',
    replace: 'softBlockKey(space, "regularity", inClass("public", subject))',
    breaks: "G4: calls of public routes do not shut the sign-in of their address.",
    tests: [JUDGING_TEST],
  },
  {
    id: "client-chooses-its-address",
    file: "guard/src/rules/client-address.ts",
    find: `  if (!isTrusted(client)) return client
  for`,
    replace: "  for",
    breaks: "G4: only a trusted proxy says who the client is.",
    tests: [CLIENT_ADDRESS_TEST],
  },
  {
    id: "left-most-hop",
    file: "guard/src/rules/client-address.ts",
    find: "return hops.slice(-MOST_HOPS).reverse()",
    replace: "return hops.slice(-MOST_HOPS)",
    breaks: "G4: what a client wrote on the left of the list is never reached.",
    tests: [CLIENT_ADDRESS_TEST],
  },
  {
    id: "memory-does-not-count-along",
    file: "guard/src/stores/fail-safe-store.ts",
    find: "memory.ask({ rate: asked, blocks: [] })",
    replace: "if (left < 0) memory.ask({ rate: asked, blocks: [] })",
    breaks: "G5: an outage of the store gives no client a second allowance.",
    tests: [FAIL_SAFE_STORE_TEST],
  },
  {
    id: "empty-store-opens-the-window",
    file: "guard/src/stores/fail-safe-store.ts",
    find: "if (left > 0) return",
    replace: "if (left > -1_000) return",
    breaks: "G1: a store that has lost its counts gives no client a second allowance.",
    tests: [FAIL_SAFE_STORE_TEST],
  },
  {
    id: "silence-lifts-a-block",
    file: "guard/src/stores/fail-safe-store.ts",
    find: "return this.#tryShared(() => this.#parts.shared.blockLeftMs(key), refuse)",
    replace: "return this.#tryShared(() => this.#parts.shared.blockLeftMs(key), () => 0)",
    breaks: "G4: what a store that is away does not say lifts no block.",
    tests: [FAIL_SAFE_STORE_TEST, OPERATING_TEST],
  },
  {
    id: "silent-store-throws",
    file: "guard/src/stores/fail-safe-store.ts",
    find: 'const refuse = (): Promise<never> => Promise.reject(new Error("the shared store is away"))',
    replace: `const refuse = (): Promise<never> => {
  throw new Error("the shared store is away")
}`,
    breaks: "G5: the request of a blocked client is refused while the store is away, and does not break.",
    tests: [FAIL_SAFE_STORE_TEST],
  },
  {
    id: "store-never-returns",
    file: "guard/src/stores/fail-safe-store.ts",
    find: `        () => this.#return(),
        () => this.#probeLater(),`,
    replace: `        () => this.#probeLater(),
        () => this.#probeLater(),`,
    breaks: "G5: a store that answers again is used again.",
    tests: [FAIL_SAFE_STORE_TEST],
  },
  {
    id: "any-algorithm",
    file: "guard/src/credentials/tokens/token-verifier.ts",
    find: "if (!peeked || peeked.algorithm !== rules.algorithm || peeked.issuer !== rules.issuer) return undefined",
    replace: "if (!peeked || peeked.issuer !== rules.issuer) return undefined",
    breaks: "S23: the algorithm of a token is the issuer's, not the token's.",
    tests: [TOKEN_VERIFIER_TEST],
    equivalent: "The verification is told the one algorithm that is allowed, and refuses any other by itself.",
  },
  {
    id: "token-of-any-audience",
    file: "guard/src/credentials/tokens/token-verifier.ts",
    find: `  issuer,
  audience,
  clockTolerance`,
    replace: `  issuer,
  clockTolerance`,
    breaks: "S23: a token for another audience is refused.",
    tests: [TOKEN_VERIFIER_TEST],
  },
  {
    id: "token-for-ever",
    file: "guard/src/credentials/tokens/token-verifier.ts",
    find: "|| exp - iat > longestLife || exp <= iat",
    replace: "|| exp <= iat",
    breaks: "S23: a token that is good for too long is refused.",
    tests: [TOKEN_VERIFIER_TEST],
  },
  {
    id: "forged-token-is-over",
    file: "guard/src/credentials/tokens/token-verifier.ts",
    find: 'if (error instanceof errors.JWTExpired) return "expired"',
    replace: 'if (error instanceof errors.JOSEError) return "expired"',
    breaks: "S23: a token with another signature is a guess, whatever it says of its end.",
    tests: [TOKEN_VERIFIER_TEST],
  },
  {
    id: "token-of-two-spellings",
    file: "guard/src/credentials/tokens/compact-form.ts",
    find: "if (!header || !payload || !isCanonical(parts[3] as string)) return undefined",
    replace: "if (!header || !payload) return undefined",
    breaks: "S23: a token has one spelling: another one of the same bits is refused.",
    tests: [TOKEN_VERIFIER_TEST],
  },
  {
    id: "two-lengths",
    file: "guard/src/gateway/judge-framing.ts",
    find: "if (length !== undefined && coding !== undefined)",
    replace: 'if (length === undefined && coding !== undefined && httpVersion === "0.9")',
    breaks: "A request with two lengths is not forwarded.",
    tests: [JUDGE_FRAMING_TEST, SMUGGLING_TEST],
  },
  {
    id: "header-twice",
    file: "guard/src/gateway/judge-framing.ts",
    find: "if (seen?.includes(name)) throw unclear",
    replace: 'if (seen?.includes(name) && name === "upgrade") throw unclear',
    breaks: "A request that gives its length or host twice is not forwarded.",
    tests: [JUDGE_FRAMING_TEST, SMUGGLING_TEST],
  },
  {
    id: "hidden-slash",
    file: "guard/src/gateway/judge-target.ts",
    find: `  if (HIDDEN.test(path))
`,
    replace: `  if (HIDDEN.test(path) && path === "")
`,
    breaks: "A path that hides a slash is not forwarded.",
    tests: [JUDGE_TARGET_TEST],
  },
  {
    id: "caller-names-itself",
    file: "guard/src/gateway/trusted-headers.ts",
    find: `  "x-millrace-",
`,
    replace: "",
    breaks: "S23: a caller cannot tell an upstream who it is.",
    tests: [FORWARD_HEADERS_TEST],
  },
  {
    id: "credentials-forwarded",
    file: "guard/src/gateway/forward-headers.ts",
    find: '(name === "authorization" && ownsAuthorization) ||',
    replace: '(name === "authorization" && !ownsAuthorization) ||',
    breaks: "S23: an upstream is not given the credential that is the guard's.",
    tests: [FORWARD_HEADERS_TEST],
  },
  {
    id: "one-websocket-more",
    file: "guard/src/gateway/websocket-places.ts",
    find: "if (own >= this.#most.perCaller)",
    replace: "if (own > this.#most.perCaller)",
    breaks: "A caller has at most so many WebSockets open.",
    tests: [WEBSOCKETS_TEST],
  },
  {
    id: "place-not-given-back",
    file: "guard/src/gateway/websocket-places.ts",
    find: 'response.once("close", () => this.#giveBack(caller))',
    replace: 'response.once("never", () => this.#giveBack(caller))',
    breaks: "A WebSocket that has closed makes room for another.",
    tests: [WEBSOCKETS_TEST],
  },
  {
    id: "block-in-capitals",
    file: "guard/src/rules/agent-key.ts",
    find: "text.trim().toLowerCase()",
    replace: "text.trim()",
    breaks: "A blocked agent does not come in with another capital.",
    tests: [JUDGING_TEST],
  },
  {
    id: "look-again-lifts-a-block",
    file: "guard/src/soft-blocks.ts",
    find: "if (leftMs <= 0) this.#known.delete(key)",
    replace: "this.#known.delete(key)",
    breaks: "G4: a block that the store still has stands before the next guess.",
    tests: [CREDENTIAL_FAILURES_TEST],
  },
  {
    id: "shadow-hides-a-block",
    file: "guard/src/judging.ts",
    find: "blocks.every(({ isEnforced }) => isEnforced) ? blocks : blocks.sort(enforcedFirst)",
    replace: "blocks.every(({ isEnforced }) => isEnforced) ? blocks : blocks.sort(() => 0)",
    breaks: "G3: a block in shadow does not hide an enforced one.",
    tests: [SHADOW_TEST],
  },
  {
    id: "shortest-prefix",
    file: "guard/src/gateway/choose-upstream.ts",
    find: "b.prefix.length - a.prefix.length",
    replace: "a.prefix.length - b.prefix.length",
    breaks: "The longest prefix decides which upstream a path belongs to.",
    tests: [CHOOSE_UPSTREAM_TEST],
  },
  {
    id: "any-password",
    file: "engine/src/operations/people/sign-in.ts",
    find: "if (!user?.is_active || !check.matches) return undefined",
    replace: "if (!user?.is_active) return undefined",
    breaks: "S23: a wrong password does not come in.",
    tests: [USERS_TEST],
  },
  {
    id: "sign-in-with-an-old-version",
    file: "engine/src/operations/people/sign-in.ts",
    find: "return now?.token_version === user.token_version ? now : undefined",
    replace: "return now",
    breaks: "S23: a user that is changed while the password is hashed does not come in with the old one.",
    tests: [USERS_TEST],
  },
  {
    id: "password-changed-by-an-old-session",
    file: "engine/src/operations/people/users.ts",
    find: "if (!(await changePasswordRow(db, { username, hashedPassword, verified })))",
    replace: "if (!(await changePasswordRow(db, { username, hashedPassword })))",
    breaks: "S23: a password is changed by the one that was verified, and not by an older one.",
    tests: [USERS_TEST, AUTH_TEST],
  },
  {
    id: "notes-kept-over-the-bound",
    file: "guard/src/note-queue.ts",
    find: "      this.#waiting.shift()\n",
    replace: "",
    breaks: "While the ledger is away, a bounded number of notes waits for it.",
    tests: [OPERATING_TEST],
  },
  {
    id: "note-tried-once",
    file: "guard/src/note-queue.ts",
    find: "      this.#schedule(RETRY_MS)\n",
    replace: "",
    breaks: "A note that the ledger did not take is written later, though no other note comes.",
    tests: [OPERATING_TEST],
  },
  {
    id: "last-bytes-lost",
    file: "guard/src/gateway/websockets.ts",
    find: "to.end(() => to.destroy())",
    replace: "to.destroy()",
    breaks: "What one side of a WebSocket has sent before it ended reaches the other side.",
    tests: [WEBSOCKETS_TEST],
  },
  {
    id: "unclear-path-is-public",
    file: "engine/src/transports/gateway/mount-gateway.ts",
    find: "!(way instanceof GatewayRefusal) && routeOf(way) === PUBLIC",
    replace: "way instanceof GatewayRefusal || routeOf(way) === PUBLIC",
    breaks: "S23: a caller without a credential is not told why a path is not forwarded.",
    tests: [GATEWAY_TEST],
  },
  {
    id: "forwarded-call-told-twice",
    file: "engine/src/transports/gateway/forward-call.ts",
    find: "  if (raw.writableFinished) return\n",
    replace: "",
    breaks: "A call that was forwarded has one line in the log and counts once.",
    tests: [GATEWAY_TEST],
  },
  {
    id: "too-many-held-are-served",
    file: "engine/src/transports/calls/guard/guard-verdicts.ts",
    find: "    if (!isServed) throw tooMany(guard.retryAfterSeconds(delayMs))\n",
    replace: "",
    breaks: "A throttled call that could not be held is not served.",
    tests: [GUARD_VERDICTS_TEST],
  },
  {
    id: "last-call-not-told",
    file: "engine/src/transports/calls/guard/guard-verdicts.ts",
    find: "if (verdict.remaining !== undefined) tell(",
    replace: "if (verdict.remaining) tell(",
    breaks: "The last call of a window is told that none is left.",
    tests: [GUARD_VERDICTS_TEST],
  },
  {
    id: "good-credential-for-ever",
    file: "engine/src/transports/calls/guard/verified-credentials.ts",
    find: "return (this.#until.get(digest) ?? 0) > performance.now()",
    replace: "return this.#until.has(digest)",
    breaks: "G4: a credential that was good counts as good for an hour, and no longer.",
    tests: [VERIFIED_CREDENTIALS_TEST],
  },
]
