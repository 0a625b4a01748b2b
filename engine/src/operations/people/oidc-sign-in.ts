// Signing in with a provider of OpenID Connect: what a browser is sent away with, and who it is when it is back.
import { CannotFetch, KeysUnavailable, NotVouchedFor, type OidcProvider } from "@millrace/guard/credentials"
import { hasControlCharacter } from "../../support/control-characters.ts"
import { EngineError, forbidden } from "../../support/errors.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { SignedIn } from "./sessions.ts"
import { SignInTickets, type Ticket } from "./sign-in-tickets.ts"

export interface GroupScopes {
  readonly group: string
  readonly scopes: readonly string[]
}

export interface OidcSettings {
  readonly provider: Pick<OidcProvider, "signInUrl" | "person">
  readonly issuer: string
  readonly groups: readonly GroupScopes[]
}

export interface ProviderAnswer {
  readonly ticketId: string | undefined
  readonly state: string
  readonly code: string
  /** What the provider calls itself in its answer, where it does: another one's answer is not taken for its own. */
  readonly issuer: string | undefined
}

const MOST_SUBJECT = 200

export class OidcSignIn {
  readonly #kernel: Kernel
  readonly #settings: OidcSettings
  readonly #tickets: SignInTickets

  constructor(kernel: Kernel, settings: OidcSettings) {
    this.#kernel = kernel
    this.#settings = settings
    this.#tickets = new SignInTickets(kernel.db)
  }

  async begin(): Promise<Ticket & { readonly url: string }> {
    const ticket = await this.#tickets.issue(this.#kernel.clock.nowMs())
    return { ...ticket, url: await this.#asking(() => this.#settings.provider.signInUrl(ticket.secrets)) }
  }

  /** Throws `unauthenticated` for an answer that this browser has not asked for, and `forbidden` for a person without a group. */
  async finish({ ticketId, state, code, issuer }: ProviderAnswer): Promise<SignedIn> {
    const nowMs = this.#kernel.clock.nowMs()
    const secrets = await this.#tickets.redeem(ticketId, state, nowMs)
    if (!secrets)
      throw unauthenticated("this sign-in was not begun here, or is over: begin it again from the dashboard")
    if ((issuer ?? this.#settings.issuer) !== this.#settings.issuer)
      throw unauthenticated("this is the answer of another provider: begin the sign-in again from the dashboard")
    const person = await this.#asking(() => this.#settings.provider.person(code, secrets, nowMs))
    const { subject: id, name } = person
    if (id.length > MOST_SUBJECT || hasControlCharacter(id))
      throw unauthenticated("the provider's name for you is too long")
    const scopes = this.#scopesOf(person.groups)
    if (scopes.length === 0)
      throw forbidden("none of your groups may use this engine: its operator names them in WE_OIDC_GROUPS")
    return { id, name: shownName(name, id), scopes, subject: `oidc:${id}` }
  }

  #scopesOf(groups: readonly string[]): readonly string[] {
    const given = this.#settings.groups.filter(({ group }) => groups.includes(group)).flatMap(({ scopes }) => scopes)
    return [...new Set(given)]
  }

  async #asking<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      if (error instanceof NotVouchedFor) {
        this.#kernel.log.warn({ err: error }, "a sign-in by the provider was refused")
        throw unauthenticated("the provider did not vouch for this sign-in: begin it again from the dashboard")
      }
      if (!(error instanceof CannotFetch || error instanceof KeysUnavailable)) throw error
      this.#kernel.log.warn({ err: error }, "the provider of WE_OIDC_ISSUER does not answer")
      throw new EngineError("unavailable", "the provider does not answer: try again shortly", { retryAfterSeconds: 10 })
    }
  }
}

const shownName = (name: string, id: string): string =>
  name.length <= MOST_SUBJECT && !hasControlCharacter(name) ? name : id

const unauthenticated = (message: string): EngineError => new EngineError("unauthenticated", message)
