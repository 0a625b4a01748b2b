// Rules between the settings of users and tokens: one kind of key signs, and an issuer that is trusted is described whole.
import type { Rule } from "./rule.ts"
import { settings } from "./settings.ts"

export const peopleRules: readonly Rule[] = [
  // A verifier that takes both could be shown a token that was signed with the public key as the secret.
  {
    needs: ["jwtSecret", "jwtKeyFiles"],
    broken: (s) =>
      s.jwtKeyFiles.length > 0 ? "WE_JWT_SECRET and WE_JWT_KEY_FILES do not go together: set one of them" : undefined,
  },
  {
    needs: ["jwtSecretBefore"],
    broken: (s) =>
      s.jwtSecret === undefined && "jwtSecret" in s ? "WE_JWT_SECRET_BEFORE needs WE_JWT_SECRET" : undefined,
  },
  {
    needs: ["jwtTrustedIssuer"],
    broken: (s, told) => {
      if (s.jwtTrustedIssuer === s.jwtIssuer)
        return `${told("jwtTrustedIssuer")} is WE_JWT_ISSUER: give each a name of its own`
      if (s.jwtTrustedAudience === undefined && "jwtTrustedAudience" in s)
        return `${told("jwtTrustedIssuer")} needs WE_JWT_TRUSTED_AUDIENCE`
      const hasOne = (s.jwtJwksUrl === undefined) !== (s.jwtJwksFile === undefined)
      return hasOne ? undefined : `${told("jwtTrustedIssuer")} needs WE_JWT_JWKS_URL or WE_JWT_JWKS_FILE, one of them`
    },
  },
  ...(["oidcClientId", "oidcRedirectUrl", "oidcGroups"] as const).map(
    (key): Rule => ({
      needs: ["oidcIssuer"],
      broken: (s, told) =>
        key in s && (s[key] === undefined || s[key].length === 0)
          ? `${told("oidcIssuer")} needs ${settings[key].name}`
          : undefined,
    }),
  ),
  ...(["jwtTrustedAudience", "jwtJwksUrl", "jwtJwksFile"] as const).map(
    (key): Rule => ({
      needs: [key],
      broken: (s, told) =>
        s.jwtTrustedIssuer === undefined && "jwtTrustedIssuer" in s
          ? `${told(key)} is not used without WE_JWT_TRUSTED_ISSUER`
          : undefined,
    }),
  ),
]
