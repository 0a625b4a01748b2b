// Tokens of users on gRPC: the same as on REST.
import { secretKeys } from "@millrace/guard/credentials"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Tokens } from "../../operations/people/tokens.ts"
import { addUser, changeUser, passwordsOf, type UserRow } from "../../operations/people/users.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { createTestGrpc, refusalOf, type TestGrpc } from "./test-support/test-grpc.ts"

let engine: TestEngine
let grpc: TestGrpc
let tokens: Tokens
beforeAll(async () => {
  engine = await createTestEngine()
  const keys = secretKeys(["0123456789abcdef0123456789abcdef"])
  tokens = new Tokens(engine.kernel, { own: { issuer: "millrace", audience: "millrace", keys } })
  grpc = await createTestGrpc({ engine, auth: "required", people: { registration: false, tokens } })
})
afterAll(async () => {
  await grpc.close()
  await engine.close()
})

const add = (username: string, role: "USER" | "ADMIN"): Promise<UserRow> =>
  addUser(
    { db: engine.db, passwords: passwordsOf(engine.kernel) },
    { username, email: `${username}@example.com`, password: "plum otter lantern", role },
  )
const list = async (token: string) => grpc.rpc.listInstances({}, { metadata: { authorization: `Bearer ${token}` } })

test("E-03, E-39: an ADMIN's token is served, a USER's is PERMISSION_DENIED, any other UNAUTHENTICATED", async () => {
  const [admin, user] = [await tokens.issue(await add("ada", "ADMIN")), await tokens.issue(await add("grace", "USER"))]
  expect(await list(admin.token)).toMatchObject({ total: 0 })
  expect(await refusalOf(list(user.token))).toMatchObject({ status: "PERMISSION_DENIED" })
  for (const wrong of [`${admin.token}x`, admin.token.slice(0, -2), "a.b.c", `${admin.token}.x`])
    expect(await refusalOf(list(wrong))).toMatchObject({ status: "UNAUTHENTICATED" })
  await changeUser(engine.db, "disable", "ada")
  const refused = async () => (await refusalOf(list(admin.token)))?.status
  await expect.poll(refused, { interval: 100 }).toBe("UNAUTHENTICATED")
})
