// What a server has for people: how they sign in, and whether they may register themselves.
import type { OidcSignIn } from "../../operations/people/oidc-sign-in.ts"
import type { Tokens } from "../../operations/people/tokens.ts"

export interface ProviderSignIn {
  readonly signIn: Pick<OidcSignIn, "begin" | "finish">
  /** What the dashboard calls the provider. */
  readonly name: string
  /** Whether the browser comes back over TLS: its cookies are bound to it then. */
  readonly isOverTls: boolean
}

export interface People {
  /** Whether anyone may become a USER by `POST /auth/register`. */
  readonly registration: boolean
  readonly tokens: Pick<Tokens, "signs" | "published" | "issue" | "find" | "isExpired">
  /** The provider of OpenID Connect. Undefined where none is set up. */
  readonly provider?: ProviderSignIn | undefined
}
