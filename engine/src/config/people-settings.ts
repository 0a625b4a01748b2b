// The settings of users and their tokens. Secrets come from the environment alone.

import { isScope } from "../model/people/scopes.ts"
import { isLoopback } from "./addresses.ts"
import { choice, flag, list, text } from "./kinds.ts"

/** The length of the hash that is made with the secret. A shorter secret can be found by trying. */
const SHORTEST_SECRET = 32
const SECRET_FORM = `a text of at least ${SHORTEST_SECRET} bytes, such as the output of: openssl rand -base64 48`
const isLongEnough = (secret: string): boolean => Buffer.byteLength(secret) >= SHORTEST_SECRET

const isName = (name: string): boolean => /^[\x21-\x7e]{1,200}$/.test(name)
const NAME_FORM = "1 to 200 characters without spaces"
const isPath = (path: string): boolean => path.length > 0 && !path.includes("\0")

/** Answers of an issuer decide who may do what: they come over TLS, or do not leave this machine. */
export function isIssuerUrl(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname, username, password } = new URL(url)
  const isPrivate = protocol === "http:" && isLoopback(hostname.replace(/^\[(.*)\]$/, "$1"))
  return (protocol === "https:" || isPrivate) && username === "" && password === ""
}

export const peopleSettings = {
  registration: flag({
    name: "WE_REGISTRATION",
    default: false,
    doc: "Whether anyone may become a user by POST /auth/register. Such a user may call what the gateway forwards, and nothing else.",
  }),
  jwtSecret: text<string | undefined>({
    name: "WE_JWT_SECRET",
    default: undefined,
    secret: true,
    allowed: SECRET_FORM,
    accepts: isLongEnough,
    show: () => "****",
    doc: "What tokens of users are signed with (HS256); or set WE_JWT_KEY_FILES. From the environment only, the same for all engines.",
  }),
  jwtSecretBefore: text<string | undefined>({
    name: "WE_JWT_SECRET_BEFORE",
    default: undefined,
    secret: true,
    allowed: SECRET_FORM,
    accepts: isLongEnough,
    show: () => "****",
    doc: "The WE_JWT_SECRET before this one: its tokens are taken until they expire, half an hour after the change.",
  }),
  jwtKeyFiles: list({
    name: "WE_JWT_KEY_FILES",
    default: [],
    allowed: "paths of files, separated by commas",
    accepts: isPath,
    doc: "Private keys in PEM, all RSA (RS256) or all Ed25519 (EdDSA): the first signs tokens of users, the others still verify.",
  }),
  jwtIssuer: text<string>({
    name: "WE_JWT_ISSUER",
    default: "millrace",
    allowed: NAME_FORM,
    accepts: isName,
    doc: "`iss` of the tokens that this engine makes and takes.",
  }),
  jwtAudience: text<string | undefined>({
    name: "WE_JWT_AUDIENCE",
    default: undefined,
    allowed: NAME_FORM,
    accepts: isName,
    doc: "`aud` of the tokens that this engine makes and takes: `millrace`, and `millrace:<schema>` with a WE_SCHEMA of its own.",
  }),
  jwtTrustedIssuer: text<string | undefined>({
    name: "WE_JWT_TRUSTED_ISSUER",
    default: undefined,
    allowed: NAME_FORM,
    accepts: isName,
    doc: "`iss` of another issuer whose tokens are taken too. Their claim `role` (USER or ADMIN) counts. Needs WE_JWT_JWKS_URL or _FILE.",
  }),
  jwtTrustedAudience: text<string | undefined>({
    name: "WE_JWT_TRUSTED_AUDIENCE",
    default: undefined,
    allowed: NAME_FORM,
    accepts: isName,
    doc: "`aud` that tokens of WE_JWT_TRUSTED_ISSUER must have.",
  }),
  jwtTrustedAlgorithm: choice({
    name: "WE_JWT_TRUSTED_ALGORITHM",
    default: "RS256",
    values: ["RS256", "PS256", "ES256", "EdDSA"],
    doc: "The algorithm of WE_JWT_TRUSTED_ISSUER; tokens that name another are refused.",
  }),
  jwtJwksUrl: text<string | undefined>({
    name: "WE_JWT_JWKS_URL",
    default: undefined,
    allowed: "a URL with https, or http on this machine, without a user and a password in it",
    accepts: isIssuerUrl,
    doc: "Where WE_JWT_TRUSTED_ISSUER publishes its keys. Read every ten minutes; after an hour without an answer its tokens are refused.",
  }),
  jwtJwksFile: text<string | undefined>({
    name: "WE_JWT_JWKS_FILE",
    default: undefined,
    allowed: "the path of a file",
    accepts: isPath,
    doc: "The keys of WE_JWT_TRUSTED_ISSUER as a file, in place of WE_JWT_JWKS_URL.",
  }),
  oidcIssuer: text<string | undefined>({
    name: "WE_OIDC_ISSUER",
    default: undefined,
    allowed: "a URL with https, or http on this machine, without a user and a password in it",
    accepts: isIssuerUrl,
    doc: "The provider of OpenID Connect that people sign in to the dashboard with. Needs WE_OIDC_CLIENT_ID, _REDIRECT_URL and _GROUPS.",
  }),
  oidcClientId: text<string | undefined>({
    name: "WE_OIDC_CLIENT_ID",
    default: undefined,
    allowed: NAME_FORM,
    accepts: isName,
    doc: "What this engine is called at WE_OIDC_ISSUER.",
  }),
  oidcClientSecret: text<string | undefined>({
    name: "WE_OIDC_CLIENT_SECRET",
    default: undefined,
    secret: true,
    allowed: "a text",
    accepts: (secret) => secret.length > 0,
    show: () => "****",
    doc: "The secret of WE_OIDC_CLIENT_ID, where it has one. From the environment only.",
  }),
  oidcRedirectUrl: text<string | undefined>({
    name: "WE_OIDC_REDIRECT_URL",
    default: undefined,
    allowed: "a URL that ends in /auth/oidc/callback, with https, or http on this machine",
    accepts: (url) => isIssuerUrl(url) && new URL(url).pathname === "/auth/oidc/callback",
    doc: "Where the provider sends the browser back to, as it is registered there: https://<this engine>/auth/oidc/callback.",
  }),
  oidcGroups: list({
    name: "WE_OIDC_GROUPS",
    default: [],
    allowed: "groups with their scopes, such as ops=admin,support=instances:read+tasks:write",
    accepts: (item) => groupScopes(item) !== undefined,
    doc: "What the members of a group may do: group=scope+scope, separated by commas. Who is in none of them is refused.",
  }),
  oidcGroupsClaim: text<string>({
    name: "WE_OIDC_GROUPS_CLAIM",
    default: "groups",
    allowed: NAME_FORM,
    accepts: isName,
    doc: "The claim of the provider's token that lists a person's groups.",
  }),
  oidcAlgorithm: choice({
    name: "WE_OIDC_ALGORITHM",
    default: "RS256",
    values: ["RS256", "PS256", "ES256", "EdDSA"],
    doc: "What WE_OIDC_ISSUER signs with; a token that names another algorithm is refused.",
  }),
  oidcName: text<string>({
    name: "WE_OIDC_NAME",
    default: "single sign-on",
    allowed: "1 to 50 characters",
    accepts: (name) => /^[^\p{C}]{1,50}$/u.test(name),
    doc: "What the dashboard calls the provider, on the button that leads there.",
  }),
} as const

/** `ops=admin` → its group and its scopes; undefined where it is none. The group is all before the last equals sign. */
export function groupScopes(item: string): { readonly group: string; readonly scopes: readonly string[] } | undefined {
  const at = item.lastIndexOf("=")
  const [group, scopes] = [item.slice(0, Math.max(0, at)).trim(), item.slice(at + 1).split("+")]
  return group !== "" && scopes.every(isScope) ? { group, scopes } : undefined
}
