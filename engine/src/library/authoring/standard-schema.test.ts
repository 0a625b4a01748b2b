// One interface, three libraries: what fits comes back in its type, what does not is listed by path.
import { type } from "arktype"
import * as v from "valibot"
import { describe, expect, expectTypeOf, test } from "vitest"
import { z } from "zod"
import {
  type InferInput,
  type InferOutput,
  isStandardSchema,
  type StandardSchemaV1,
  validate,
} from "./standard-schema.ts"

const schemas = {
  zod: z.object({ email: z.string(), lines: z.array(z.object({ amount: z.number() })) }),
  valibot: v.object({ email: v.string(), lines: v.array(v.object({ amount: v.number() })) }),
  arktype: type({ email: "string", lines: type({ amount: "number" }).array() }),
}
type Order = { email: string; lines: { amount: number }[] }

describe.each(Object.entries(schemas))("%s", (_, schema) => {
  test("a value that fits is given back", async () => {
    const order = { email: "ada@example.com", lines: [{ amount: 3 }] }
    expect(isStandardSchema(schema)).toBe(true)
    expect(await validate<StandardSchemaV1>(schema, order)).toEqual(order)
  })

  test("what does not fit is listed with its path", async () => {
    const refusal = validate<StandardSchemaV1>(schema, { email: 7, lines: [{ amount: 3 }, { amount: "x" }] })
    await expect(refusal).rejects.toThrow("the input does not fit its schema: $.email")
    await expect(refusal).rejects.toMatchObject({
      code: "bad-request",
      details: [{ path: "$.email" }, { path: "$.lines[1].amount" }],
    })
  })
})

test("the output type is that of the schema", () => {
  expectTypeOf<InferOutput<typeof schemas.zod>>().toEqualTypeOf<Order>()
  expectTypeOf<InferOutput<typeof schemas.valibot>>().toEqualTypeOf<Order>()
  expectTypeOf<InferOutput<typeof schemas.arktype>>().toEqualTypeOf<Order>()
})

test("a schema that converts has two types, and gives the converted value", async () => {
  const Visit = z.object({ at: z.string().transform((text) => new Date(text)), count: z.number().default(1) })
  expectTypeOf<InferInput<typeof Visit>>().toEqualTypeOf<{ at: string; count?: number | undefined }>()
  const visit = await validate(Visit, { at: "2026-11-15T00:00:00Z" })
  expectTypeOf(visit).toEqualTypeOf<{ at: Date; count: number }>()
  expect(visit).toEqual({ at: new Date("2026-11-15T00:00:00Z"), count: 1 })
})

test("a schema that must wait is waited for", async () => {
  const Known = z.string().refine(async (name) => (await Promise.resolve(name)) === "ada", "nobody knows you")
  expect(await validate(Known, "ada")).toBe("ada")
  await expect(validate(Known, "bob", "guest")).rejects.toThrow(
    "the guest does not fit its schema: $: nobody knows you",
  )
})

test.each([undefined, null, 7, "text", {}, () => 1, { "~standard": 1 }])("%s is no schema", (value) => {
  expect(isStandardSchema(value)).toBe(false)
})
