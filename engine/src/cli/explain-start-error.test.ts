import { createServer } from "node:net"
import { expect, test } from "vitest"
import { ConfigError } from "../config.ts"
import { EmbeddedError } from "../db/embedded.ts"
import { MigrationError } from "../db/migrate.ts"
import { EngineError } from "../support/errors.ts"
import { explainStartError } from "./explain-start-error.ts"

const variables = { postgresDsn: "DATABASE_URL" }
const settled = { restPort: 8080, metricsPort: 9091, grpcPort: 9090, variables }
const failure = (fields: object, message = "boom") => Object.assign(new Error(message), fields)

test.each<[string, unknown, RegExp]>([
  [
    "a busy REST port",
    failure({ code: "EADDRINUSE", port: 8080, address: "127.0.0.1" }),
    /^port 8080 on 127\.0\.0\.1 is already in use: .* WE_REST_PORT to another port$/,
  ],
  ["a busy metrics port", failure({ code: "EADDRINUSE", port: 9091 }), /set WE_METRICS_PORT to/],
  ["another busy port", failure({ code: "EADDRINUSE", port: 1 }), /WE_REST_PORT, WE_GRPC_PORT or WE_METRICS_PORT/],
  ["a port that needs rights", failure({ code: "EACCES", syscall: "listen", port: 80 }), /above 1023/],
  [
    "an address of another machine",
    failure({ code: "EADDRNOTAVAIL", address: "10.9.9.9" }),
    /10\.9\.9\.9 is not an address of this machine/,
  ],
  ["a wrong password", failure({ code: "28P01" }), /refused the password/],
  ["an unknown user", failure({ code: "28000" }, 'role "x" does not exist'), /refused the user \(role "x"/],
  [
    "a missing database",
    failure({ code: "3D000" }, 'database "x" does not exist'),
    /^database "x" does not exist: create it/,
  ],
  ["a user without rights", failure({ code: "42501" }, "permission denied for database x"), /lacks a right/],
  ["a full server", failure({ code: "53300" }), /no connection left/],
  ["a server that starts", failure({ code: "57P03" }), /still starting/],
  [
    "nothing there",
    failure({ code: "ECONNREFUSED", address: "127.0.0.1", port: 5432 }),
    /^nothing answers at 127\.0\.0\.1:5432: .* correct DATABASE_URL$/,
  ],
  [
    "nothing there on two addresses",
    failure({ code: "ECONNREFUSED", errors: [failure({ code: "ECONNREFUSED", address: "::1", port: 5 })] }),
    /at ::1:5/,
  ],
  ["an unknown host", failure({ code: "ENOTFOUND", hostname: "db.invalid" }), /host db\.invalid is not known/],
  ["a name server that is away", failure({ code: "EAI_AGAIN", hostname: "db" }), /cannot be looked up/],
  [
    "a host that is silent",
    failure({ code: "ETIMEDOUT", address: "10.0.0.1", port: 5432 }),
    /does not answer at 10\.0\.0\.1:5432/,
  ],
  ["a driver's timeout", failure({}, "Connection terminated due to connection timeout"), /does not answer in time/],
  ["no TLS there", failure({}, "The server does not support SSL connections"), /speaks no TLS/],
  [
    "no password given",
    failure({}, "SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string"),
    /asks for a password: add one to DATABASE_URL/,
  ],
  [
    "a cause inside",
    new EngineError("unavailable", "the database is away", { cause: failure({ code: "28P01" }) }),
    /refused the password/,
  ],
  [
    "an old server",
    new MigrationError("PostgreSQL 13.4 is too old: Millrace needs 15 or newer"),
    /^PostgreSQL 13\.4 is too old/,
  ],
  ["a data folder of another version", new EmbeddedError("data folder x was made by PostgreSQL 16"), /^data folder x/],
  ["a missing DSN", new ConfigError(["WE_POSTGRES_DSN is not set"]), /^WE_POSTGRES_DSN is not set$/],
])("D-51: one line for %s", (_, error, expected) => {
  const text = explainStartError(error, settled)
  expect(text).toMatch(expected)
  expect(text).not.toContain("\n")
})

test("several wrong settings are one line each", () => {
  expect(explainStartError(new ConfigError(["a", "b"]))).toBe("a\nb")
})

test.each([
  [undefined],
  ["text"],
  [new Error("our bug")],
  [failure({ code: "constructor" })],
  [failure({ code: "EACCES", syscall: "open" })],
])("what nobody foresaw is not explained away: %s", (error) => {
  expect(explainStartError(error)).toBeUndefined()
})

test("SEC-55: a password in a message stays hidden", () => {
  const text = explainStartError(new EmbeddedError("cannot reach postgres://u:canary@h/db\nsecond line"))
  expect(text).toBe("cannot reach postgres://u:****@h/db second line")
})

test("node's own error for a busy port is understood", async () => {
  const holder = createServer()
  await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve))
  const { port } = holder.address() as { port: number }
  const error = await new Promise((resolve) => createServer().once("error", resolve).listen(port, "127.0.0.1"))
  expect(explainStartError(error, { ...settled, restPort: port })).toMatch(
    `port ${port} on 127.0.0.1 is already in use`,
  )
  holder.close()
})
