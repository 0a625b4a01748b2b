// Why a connection failed and what to do about it, in one line.

/** How OpenSSL words a failure, for its own developers. */
const OPENSSL = /\b[0-9A-F]{8,}:error:[0-9A-F]+:/i

/** `advice` begins with the end of a sentence, `. `, or is empty. What only OpenSSL understands comes behind it. */
export function withAdvice(reason: string, advice: string): string {
  if (advice === "" || !OPENSSL.test(reason)) return `${reason}${advice}`
  return `${advice.slice(2)}. OpenSSL says: ${reason.replaceAll(/\s+/g, " ").trim()}`
}
