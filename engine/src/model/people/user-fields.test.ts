// Names and mail addresses that are taken, and those that are not.
import { expect, test } from "vitest"
import { emailFault, usernameFault } from "./user-fields.ts"

test.each(["a", "ada", "Ada.Lovelace", "ada@example.com", "10.0.0.7", "anonymous", "admin", "x".repeat(50)])(
  "E-22: %s may be a name",
  (name) => {
    expect(usernameFault(name)).toBeUndefined()
  },
)

test.each(["", " ", "ada ", ".ada", "-ada", "ad a", "ada\n", "ad\u0000a", "аda", "ada:1", "x".repeat(51)])(
  "E-22: %j is no name",
  (name) => {
    expect(usernameFault(name)?.hint).toContain("1 to 50")
  },
)

test.each([
  "ada@example.com",
  "a@b",
  "ada+test@mail.example.co.uk",
  "grüße@example.com",
  `${"x".repeat(64)}@example.com`,
])("E-22: %s may be an address", (email) => {
  expect(emailFault(email)).toBeUndefined()
})

test.each([
  "",
  "ada",
  "@example.com",
  "ada@",
  "a da@example.com",
  "ada@exa mple.com",
  "a@b@c",
  "ada@example.com\r\nBcc: x@y",
  "<a@b>",
  "a\u0000@b",
  `ada@${"x.".repeat(200)}com`,
])("E-22: %j is no address", (email) => {
  expect(emailFault(email)?.hint).toContain("ada@example.com")
})
