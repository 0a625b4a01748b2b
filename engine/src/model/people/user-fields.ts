// What a user's name and mail address must look like.
import type { Violation } from "../../support/errors.ts"

const NAME = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,49}$/
/** That it has the form of an address, not that it exists. Each part is of other characters than what ends it. */
const EMAIL = /^[^\s@<>()"',;:\\[\]\p{C}]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,8}$/u
const MOST_EMAIL = 254

type Fault = Omit<Violation, "path">

export const usernameFault = (name: string): Fault | undefined =>
  NAME.test(name)
    ? undefined
    : {
        message: "is not a user name",
        hint: "1 to 50 letters (a to z), digits and . _ @ + -, the first a letter or a digit",
      }

export const emailFault = (email: string): Fault | undefined =>
  email.length <= MOST_EMAIL && EMAIL.test(email)
    ? undefined
    : { message: "is not a mail address", hint: "write it like ada@example.com" }
