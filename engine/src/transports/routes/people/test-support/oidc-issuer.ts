// A provider of OpenID Connect on loopback, with keys of its own: it vouches for whom a test says, and can be told to misbehave.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

export const CLIENT = { id: "millrace", secret: "a secret: of/the client" }

interface SigningKey {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

interface Grant {
  readonly nonce: string
  readonly challenge: string
  readonly redirectUri: string
  readonly claims: Record<string, unknown>
}

const newKey = (kid: string): SigningKey => ({ kid, ...generateKeyPairSync("rsa", { modulusLength: 2048 }) })
/** The key of every provider until it is rotated: to make a key takes a fifth of a second of a core. */
const FIRST = newKey("one")
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

export class OidcIssuer {
  url = ""
  /** What is in every token besides, or in place of, what belongs there. */
  claims: Record<string, unknown> = {}
  /** What is said of itself besides, or in place of, what is so. */
  discovery: Record<string, unknown> = {}
  isDown = false
  nowMs = (): number => Date.now()
  /** Every request: its path, and the form that came with it. */
  readonly asked: string[] = []
  published: SigningKey[] = [FIRST]
  signing = this.published[0] as SigningKey
  readonly #grants = new Map<string, Grant>()
  readonly #server = createServer((request, response) => void this.#answer(request, response))

  async listen(): Promise<void> {
    this.#server.listen(0, "127.0.0.1")
    await once(this.#server, "listening")
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  /** What its user does in the browser that was sent to `location`: signs in, and is sent back with what is returned. */
  vouch(location: string, claims: Record<string, unknown>): URLSearchParams {
    const { searchParams: asked } = new URL(location)
    const code = randomBytes(16).toString("hex")
    this.#grants.set(code, {
      nonce: asked.get("nonce") ?? "",
      challenge: asked.get("code_challenge") ?? "",
      redirectUri: asked.get("redirect_uri") ?? "",
      claims,
    })
    return new URLSearchParams({ code, state: asked.get("state") ?? "" })
  }

  rotate(kid: string): void {
    this.signing = newKey(kid)
    this.published = [this.signing]
  }

  sign(payload: object, header: object = {}): string {
    const input = `${part({ alg: "RS256", typ: "JWT", kid: this.signing.kid, ...header })}.${part(payload)}`
    return `${input}.${sign("sha256", Buffer.from(input), this.signing.privateKey).toString("base64url")}`
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? ""
    this.asked.push(path)
    if (this.isDown) return void response.writeHead(500).end()
    const say = (status: number, value: unknown) => void response.writeHead(status).end(JSON.stringify(value))
    if (path === "/.well-known/openid-configuration") return say(200, this.#describe())
    if (path === "/keys") return say(200, { keys: this.published.map((key) => this.#published(key)) })
    if (path !== "/token" || request.method !== "POST") return say(404, {})
    const idToken = this.#redeem(request, new URLSearchParams(await text(request)))
    return idToken ? say(200, { id_token: idToken, access_token: "x" }) : say(400, { error: "invalid_grant" })
  }

  #describe(): object {
    const { url } = this
    const endpoints = {
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/keys`,
    }
    return { issuer: url, ...endpoints, ...this.discovery }
  }

  #published = ({ kid, publicKey }: SigningKey): object => ({ ...publicKey.export({ format: "jwk" }), kid, use: "sig" })

  #redeem({ headers }: IncomingMessage, form: URLSearchParams): string | undefined {
    const grant = this.#grants.get(form.get("code") ?? "")
    // A code is good once.
    this.#grants.delete(form.get("code") ?? "")
    const basic = `${encodeURIComponent(CLIENT.id)}:${encodeURIComponent(CLIENT.secret)}`
    if (headers.authorization !== `Basic ${Buffer.from(basic).toString("base64")}`) return undefined
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url")
    if (!grant || grant.challenge !== challenge || grant.redirectUri !== form.get("redirect_uri")) return undefined
    const now = Math.floor(this.nowMs() / 1_000)
    const own = { iss: this.url, aud: CLIENT.id, sub: "s-1", iat: now, exp: now + 300, nonce: grant.nonce }
    return this.sign({ ...own, ...grant.claims, ...this.claims })
  }
}
