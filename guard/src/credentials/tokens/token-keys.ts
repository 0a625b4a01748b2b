// The keys that tokens are signed and verified with: a shared secret, private keys in files, or the public keys of another issuer.
import { createHash, createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from "node:crypto"
import type { JWK } from "jose"
import { isSafeKid } from "./compact-form.ts"

/** HS256 is for tokens of our own alone. */
export const PUBLIC_ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA"] as const
export type PublicAlgorithm = (typeof PUBLIC_ALGORITHMS)[number]
export type Algorithm = PublicAlgorithm | "HS256"

export interface KeySource {
  /** Undefined where there is none by this name. Throws where it cannot be known now. */
  find(kid: string | undefined): KeyObject | undefined | Promise<KeyObject | undefined>
}

/** What tokens of our own are signed and verified with. */
export interface SigningKeys extends KeySource {
  readonly algorithm: Algorithm
  readonly kid: string
  readonly signingKey: KeyObject
  /** The public keys, for others that verify; empty where the key is a shared secret. */
  readonly published: readonly JWK[]
}

/** A file or a secret that is no good: the message says what is wrong and never what is in it. */
export class BadKey extends Error {
  constructor(message: string) {
    super(message)
    this.name = "BadKey"
  }
}

export const SHORTEST_SECRET_BYTES = 32

/** The first secret signs; tokens that were signed with one of the others are still taken. */
export function secretKeys(secrets: readonly [string, ...string[]]): SigningKeys {
  const keys = secrets.map((secret) => {
    if (Buffer.byteLength(secret) < SHORTEST_SECRET_BYTES)
      throw new BadKey(`a secret needs at least ${SHORTEST_SECRET_BYTES} bytes`)
    return { kid: kidOf(`secret ${secret}`), key: createSecretKey(Buffer.from(secret)) }
  })
  const [first] = keys as [(typeof keys)[number]]
  return { algorithm: "HS256", kid: first.kid, signingKey: first.key, published: [], ...sourceOf(keys) }
}

/** Private keys in PEM, all RSA or all Ed25519. The first one signs; tokens of the others are still taken. */
export function fileKeys(pems: readonly [string, ...string[]]): SigningKeys {
  const keys = pems.map((pem) => {
    const privateKey = readPrivate(pem)
    const publicKey = createPublicKey(privateKey)
    return { algorithm: algorithmOf(privateKey), kid: kidOf(spkiOf(publicKey)), privateKey, key: publicKey }
  })
  const [first] = keys as [(typeof keys)[number]]
  if (keys.some(({ algorithm }) => algorithm !== first.algorithm))
    throw new BadKey("keys of two kinds: use RSA keys alone, or Ed25519 keys alone")
  const published = keys.map(({ kid, key }) => ({
    ...(key.export({ format: "jwk" }) as JWK),
    kid,
    alg: first.algorithm,
    use: "sig",
  }))
  return { algorithm: first.algorithm, kid: first.kid, signingKey: first.privateKey, published, ...sourceOf(keys) }
}

const MOST_KEYS = 64
/** By the type of a key, and its curve where it has one. */
const KINDS: Readonly<Record<PublicAlgorithm, string>> = {
  RS256: "RSA",
  PS256: "RSA",
  ES256: "EC P-256",
  EdDSA: "OKP Ed25519",
}
const kindOf = ({ kty, crv }: JWK): string => (crv === undefined ? String(kty) : `${kty} ${crv}`)

/** The keys of another issuer's published key set that fit this algorithm. A secret in the set is never used. */
export function publishedKeys(document: unknown, algorithm: PublicAlgorithm): KeySource {
  const { keys } = (document ?? {}) as { keys?: unknown }
  if (!Array.isArray(keys) || keys.length > MOST_KEYS)
    throw new BadKey(`a key set is {"keys": […]} of at most ${MOST_KEYS} keys`)
  return sourceOf(keys.flatMap((jwk: JWK) => usableKey(jwk, algorithm)))
}

interface NamedKey {
  /** Undefined in a set that names its keys not. */
  readonly kid: string | undefined
  readonly key: KeyObject
}

function usableKey(jwk: JWK, algorithm: PublicAlgorithm): readonly NamedKey[] {
  if (typeof jwk !== "object" || jwk === null || kindOf(jwk) !== KINDS[algorithm]) return []
  if ((jwk.use ?? "sig") !== "sig" || (jwk.alg ?? algorithm) !== algorithm) return []
  if (jwk.kid !== undefined && !(typeof jwk.kid === "string" && isSafeKid(jwk.kid))) return []
  try {
    return [{ kid: jwk.kid, key: createPublicKey({ key: jwk as never, format: "jwk" }) }]
  } catch {
    return []
  }
}

/** A token that names no key is verified where there is one key alone. */
function sourceOf(keys: readonly NamedKey[]): KeySource {
  const byKid = new Map(keys.map(({ kid, key }) => [kid, key]))
  const only = keys.length === 1 ? keys[0]?.key : undefined
  return { find: (kid) => (kid === undefined ? only : byKid.get(kid)) }
}

const kidOf = (text: string | Buffer): string => createHash("sha256").update(text).digest("hex").slice(0, 16)
const spkiOf = (key: KeyObject): Buffer => key.export({ format: "der", type: "spki" })

function readPrivate(pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch {
    throw new BadKey("not a private key in PEM without a passphrase")
  }
}

const SHORTEST_RSA_BITS = 2_048

function algorithmOf(key: KeyObject): "RS256" | "EdDSA" {
  if (key.asymmetricKeyType === "ed25519") return "EdDSA"
  if (key.asymmetricKeyType !== "rsa") throw new BadKey("a key must be RSA or Ed25519")
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < SHORTEST_RSA_BITS)
    throw new BadKey(`an RSA key needs at least ${SHORTEST_RSA_BITS} bits`)
  return "RS256"
}
