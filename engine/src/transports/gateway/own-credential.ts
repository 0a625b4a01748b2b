// Finds a key or a token of ours in an Authorization header of any form: an upstream must not get it, however it was written.
import { MOST_TOKEN_BYTES, peekToken } from "@millrace/guard/credentials"
import { KEY_START } from "../calls/authorize.ts"

/** What neither a key nor a token has in it: spaces, tabs, quotes, commas, equals signs. */
const BETWEEN = /[^A-Za-z0-9._-]+/
const BASIC = /^basic\s+([A-Za-z0-9+/=]+)\s*$/i

/** Recognises a credential of ours by its form and by the issuer that it names, whether it is good or not. */
export function carriesOwnCredential(authorization: string, issuer: string): boolean {
  const encoded = BASIC.exec(authorization)?.[1]
  const isOurs = (text: string) => text.includes(KEY_START) || text.split(BETWEEN).some((part) => isToken(part, issuer))
  return isOurs(authorization) || (encoded !== undefined && isOurs(Buffer.from(encoded, "base64").toString("latin1")))
}

const isToken = (part: string, issuer: string): boolean => peekToken(part, MOST_TOKEN_BYTES)?.issuer === issuer
