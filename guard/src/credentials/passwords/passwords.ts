// Passwords: argon2id, hashed off the event loop. Hashes of bcrypt are still verified, and made again upwards at the next sign-in.
import * as argon2 from "@node-rs/argon2"
import * as bcrypt from "@node-rs/bcrypt"
import { HashLine, type IsKnown } from "./hash-line.ts"
import { normalPassword } from "./password-rules.ts"

/** 2 is argon2id: the package's enum cannot be imported where each file is compiled alone. */
const STRENGTH = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/**
 * The hash of a random text that was thrown away: no password matches it. A name that is not known costs the same work as one that
 * is, so the time of an answer does not tell which names there are.
 */
const MATCHES_NOTHING =
  "$argon2id$v=19$m=19456,t=2,p=1$cemcBkVrurEgt8b40jppXw$vHsSmtS8IM7cqZKgmeWaVpVM1ITy4EFXAAjlNSiJavw"

export interface PasswordCheck {
  readonly matches: boolean
  /** The stored hash is weaker than those made now: hash the password again, which only its owner's sign-in can do. */
  readonly isWeak: boolean
}

interface PasswordOptions {
  /** Hashes at once in this process. */
  readonly atOnce?: number
  /** How many may wait; the next one is refused with `Overloaded`. */
  readonly waiting?: number
  /** How many of those places only known callers get: guesses that fill the others do not keep the owner of an account out. */
  readonly reserved?: number
}

/** One for a process: its line bounds what hashing takes of it. */
export class Passwords {
  readonly #line: HashLine

  constructor({ atOnce = 2, waiting = 20, reserved = 4 }: PasswordOptions = {}) {
    this.#line = new HashLine({ atOnce, waiting, reserved })
  }

  hash(password: string): Promise<string> {
    return this.#line.run(() => argon2.hash(normalPassword(password), STRENGTH))
  }

  /** `stored` is undefined for a name that is not known: the work is the same, and nothing matches. */
  check(password: string, stored: string | undefined, isKnown?: IsKnown): Promise<PasswordCheck> {
    return this.#line.run(() => checked(password, stored), isKnown)
  }
}

async function checked(password: string, stored: string | undefined): Promise<PasswordCheck> {
  const matches = await matchesHash(password, stored ?? MATCHES_NOTHING)
  if (!matches || stored === undefined) return { matches: false, isWeak: false }
  return { matches, isWeak: isWeak(stored) }
}

const isBcrypt = (stored: string): boolean => stored.startsWith("$2")

/** A hash of bcrypt was made elsewhere, of the text as it was typed. A stored text that is no hash matches nothing. */
async function matchesHash(password: string, stored: string): Promise<boolean> {
  if (isBcrypt(stored)) return bcrypt.verify(password, stored)
  try {
    return await argon2.verify(stored, normalPassword(password))
  } catch {
    return false
  }
}

function isWeak(stored: string): boolean {
  if (!stored.startsWith("$argon2id$")) return true
  const { memoryCost, timeCost, parallelism } = argon2.parseOptions(stored)
  return memoryCost < STRENGTH.memoryCost || timeCost < STRENGTH.timeCost || parallelism < STRENGTH.parallelism
}
