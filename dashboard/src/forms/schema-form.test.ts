import { expect } from "vitest"
import { barriers, isTooWide } from "../test-support/browser.ts"
import { engine, openAt, setUpBrowser, test } from "../test-support/browser-test.ts"

setUpBrowser()

const definition = {
  id: "trip",
  name: "Trip",
  steps: [{ id: "book", name: "Book", type: "SERVICE_TASK", jobType: "book" }],
}

/** More than the engine's own schemas can say (C-55): JSON Schema as others write it. */
const inputSchema = {
  properties: {
    class: { type: "string", enum: ["first", "second"] },
    seats: { type: "integer", minimum: 1, description: "At least one." },
    price: { type: "number", default: 9.5 },
    day: { type: "string", format: "date" },
    insured: { type: "boolean", title: "Insured" },
    stops: { type: "array", items: { type: "string" } },
    contact: { type: "object", properties: { email: { type: "string", format: "email" } }, required: ["email"] },
    extras: { type: "object", description: "Whatever else there is." },
  },
  required: ["class", "seats", "insured"],
}

test("C-55: a form draws choices, numbers, dates, yes or no, lists and groups, and the rest as JSON", async () => {
  await engine.send("POST", "/v1/definitions", definition)
  const { page, complaints, close } = await openAt("/ui/definitions")
  await page.route("**/v1/definitions/trip", (route) =>
    route.fulfill({ json: { ...definition, version: 1, inputSchema } }),
  )
  await page.getByRole("link", { name: "Trip" }).click()
  await page.getByRole("button", { name: "Start an instance" }).click()
  const form = page.getByRole("dialog")
  const start = form.getByRole("button", { name: "Start", exact: true })

  await form.getByLabel("seats").fill("0")
  await start.click()
  await form.getByText("class is required").waitFor()
  await form.getByText("Insured is required").waitFor()
  await form.getByText("seats must be at least 1").waitFor()
  await expect.poll(() => barriers(page)).toEqual([])

  await form.getByLabel("class").selectOption("second")
  await form.getByLabel("seats").fill("2")
  await form.getByLabel("day").fill("2025-03-01")
  await form.getByRole("radio", { name: "No", exact: true }).check()
  await form.getByRole("button", { name: "Add to stops" }).click()
  await form.getByLabel("stops 1", { exact: true }).fill("Bern")
  await form.getByRole("button", { name: "Add to stops" }).click()
  await form.getByLabel("stops 2", { exact: true }).fill("Chur")
  await form.getByRole("button", { name: "Remove stops 1" }).click()
  await form.getByRole("group", { name: "contact" }).getByLabel("email").fill("ada@example.org")
  await form.getByLabel("extras").fill('{ "pets": 1 ')
  await start.click()
  await form.getByText("The text ends before its closing }").first().waitFor()
  expect(page.url()).toContain("/definitions/trip")
  await page.setViewportSize({ width: 360, height: 740 })
  await expect.poll(() => isTooWide(page)).toBe(false)

  await form.getByLabel("extras").fill('{ "pets": 1 }')
  await form.getByRole("button", { name: "Edit as JSON" }).click()
  const json = form.getByLabel("Variables, as JSON")
  const variables = {
    price: 9.5,
    class: "second",
    seats: 2,
    day: "2025-03-01",
    insured: false,
    stops: ["Chur"],
    contact: { email: "ada@example.org" },
    extras: { pets: 1 },
  }
  expect(JSON.parse(await json.inputValue())).toEqual(variables)
  await json.fill(JSON.stringify({ ...variables, seats: 1.5 }, null, 2))
  await start.click()
  await form.getByRole("button", { name: /^Line 4 seats must be an integer/ }).waitFor()
  await form.getByRole("button", { name: "Back to the form" }).click()
  await form.getByLabel("seats").fill("3")
  await start.click()
  await page.waitForURL(/\/instances\/\w{26}/)
  const id = /instances\/(\w{26})/.exec(page.url())?.[1]
  expect(await engine.get(`/v1/instances/${id}`)).toMatchObject({ variables: { ...variables, seats: 3 } })
  expect(complaints).toEqual([])
  await close()
})
