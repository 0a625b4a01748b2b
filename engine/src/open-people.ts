// Users and tokens as the settings say it: keys are read once, and one that is no good stops the start with its setting's name.
import { readFileSync } from "node:fs"
import {
  BadKey,
  FetchedKeys,
  fileKeys,
  type IssuerRules,
  type KeySource,
  OidcProvider,
  publishedKeys,
  type SigningKeys,
  secretKeys,
  TOKEN_TYPE,
} from "@millrace/guard/credentials"
import { groupScopes } from "./config/people-settings.ts"
import { type SettingKey, settings } from "./config/settings.ts"
import { type Config, ConfigError } from "./config.ts"
import type { Kernel } from "./operations/kernel/kernel.ts"
import { OidcSignIn } from "./operations/people/oidc-sign-in.ts"
import { Tokens } from "./operations/people/tokens.ts"
import type { People, ProviderSignIn } from "./transports/calls/people.ts"

export function openPeople(config: Config, kernel: Kernel): People {
  const keys = signingKeys(config)
  const own = keys && { issuer: config.jwtIssuer, audience: audienceOf(config), keys }
  const tokens = new Tokens(kernel, { own, trusted: trustedIssuer(config) })
  return { registration: config.registration, tokens, provider: providerSignIn(config, kernel) }
}

/** Engines of several schemas may have one secret: an administrator of one is none of another. */
function audienceOf(config: Config): string {
  const isUsual = config.schema === settings.schema.defaultOf({ cpus: 1 })
  return config.jwtAudience ?? (isUsual ? "millrace" : `millrace:${config.schema}`)
}

function providerSignIn(config: Config, kernel: Kernel): ProviderSignIn | undefined {
  const [issuer, clientId, redirectUrl] = [config.oidcIssuer, config.oidcClientId, config.oidcRedirectUrl]
  if (issuer === undefined || clientId === undefined || redirectUrl === undefined) return undefined
  const provider = new OidcProvider({
    issuer,
    clientId,
    clientSecret: config.oidcClientSecret,
    redirectUrl,
    algorithm: config.oidcAlgorithm,
    groupsClaim: config.oidcGroupsClaim,
  })
  const groups = config.oidcGroups.flatMap((item) => groupScopes(item) ?? [])
  const isOverTls = new URL(redirectUrl).protocol === "https:"
  return { signIn: new OidcSignIn(kernel, { provider, issuer, groups }), name: config.oidcName, isOverTls }
}

function signingKeys(config: Config): SigningKeys | undefined {
  const [secret, before] = [config.jwtSecret, config.jwtSecretBefore]
  if (secret !== undefined)
    return named("jwtSecret", () => secretKeys([secret, ...(before === undefined ? [] : [before])]))
  const [first, ...others] = config.jwtKeyFiles.map((path) => readText("jwtKeyFiles", path))
  return first === undefined ? undefined : named("jwtKeyFiles", () => fileKeys([first, ...others]))
}

/** Tokens for services say `at+jwt` at some issuers, and nothing at others. */
const TRUSTED_TYPES = [TOKEN_TYPE, "at+jwt", undefined]

function trustedIssuer(config: Config): IssuerRules | undefined {
  const [issuer, audience, algorithm] = [config.jwtTrustedIssuer, config.jwtTrustedAudience, config.jwtTrustedAlgorithm]
  if (issuer === undefined || audience === undefined) return undefined
  return { issuer, audience, algorithm, types: TRUSTED_TYPES, keys: trustedKeys(config) }
}

function trustedKeys(config: Config): KeySource {
  const [url, algorithm] = [config.jwtJwksUrl, config.jwtTrustedAlgorithm]
  if (url !== undefined) return new FetchedKeys({ address: () => url, algorithm })
  const text = readText("jwtJwksFile", config.jwtJwksFile ?? "")
  return named("jwtJwksFile", () => publishedKeys(jsonOf(text), algorithm))
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new BadKey("not JSON")
  }
}

function readText(key: SettingKey, path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException
    throw new ConfigError([`${settings[key].name}: the file ${path} cannot be read (${code})`])
  }
}

function named<T>(key: SettingKey, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof BadKey) throw new ConfigError([`${settings[key].name}: ${error.message}`])
    throw error
  }
}
