// What a provider of OpenID Connect says about itself: where it is asked for what.
import { CannotFetch, fetchJson } from "../fetch-json.ts"

export interface Discovered {
  readonly authorizationUrl: string
  readonly tokenUrl: string
  readonly keysUrl: string
  /** Whether the client's secret goes into a header; else into the form. */
  readonly isBasic: boolean
}

export async function readDiscovery(issuer: string): Promise<Discovered> {
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`
  const said = ((await fetchJson(address)) ?? {}) as Record<string, unknown>
  // A provider that calls itself something else would make tokens that are refused later, or is not the one that was meant.
  if (said.issuer !== issuer) throw new CannotFetch(new URL(address), "it says that it is another issuer")
  const urlOf = (name: string): string => checked(said[name], issuer, name)
  const methods = said.token_endpoint_auth_methods_supported
  return {
    authorizationUrl: urlOf("authorization_endpoint"),
    tokenUrl: urlOf("token_endpoint"),
    keysUrl: urlOf("jwks_uri"),
    isBasic: !Array.isArray(methods) || methods.includes("client_secret_basic"),
  }
}

/** Over TLS; without it only at an issuer that is itself without, which the settings allow on this machine alone. */
function checked(url: unknown, issuer: string, name: string): string {
  const { protocol, origin } = new URL(issuer)
  if (typeof url === "string" && URL.canParse(url)) {
    const named = new URL(url)
    const isSafe = named.protocol === "https:" || (protocol === "http:" && named.origin === origin)
    if (isSafe && named.username === "" && named.password === "") return url
  }
  throw new CannotFetch(new URL(issuer), `its ${name} is missing, or not a URL with https`)
}
