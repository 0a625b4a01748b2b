// An instance that has ended is restarted on its page; one whose steps were undone says by which run, and is not retried.
import { describe, expect } from "vitest"
import { complaints, engine, page, setUpBrowser, test } from "../../test-support/browser-test.ts"
import { workFlows } from "./test-support/flows.ts"

interface Shown {
  readonly id: string
  readonly status: string
  readonly parentId?: string
  readonly undoneBy?: string
  readonly variables: object
}

setUpBrowser({ path: "/ui/instances", prepare: () => workFlows(engine) })

const read = (id: string) => engine.get<Shown>(`/v1/instances/${id}`)
const dialog = () => page.getByRole("dialog", { name: "Restart" })

/** Started with a card that fails, worked on, and opened. */
async function openFailed(definitionId: string): Promise<string> {
  const { id } = await engine.send<Shown>("POST", "/v1/instances", { definitionId, variables: { card: "expired" } })
  await workFlows(engine)
  await expect.poll(async () => (await read(id)).status).toBe("FAILED")
  await page.goto(`${engine.url}/ui/instances/${id}`)
  await page.getByRole("button", { name: "Restart…" }).waitFor()
  return id
}

async function confirm(): Promise<Shown> {
  const before = page.url()
  await dialog().getByRole("button", { name: "Restart", exact: true }).click()
  await page.waitForURL((url) => url.href !== before)
  return read(page.url().split("/").at(-1)?.split("?")[0] ?? "")
}

describe("the dialog to restart", () => {
  test("begins with a chosen step and other variables, and opens the new instance, which links to the first", async () => {
    const id = await openFailed("broken-list")
    await page.getByRole("button", { name: "Restart…" }).click()
    await dialog().getByLabel("Begin with").selectOption({ label: "charge" })
    await dialog().getByLabel("Variables to change", { exact: true }).fill(`{ "card": "new" }`)
    const started = await confirm()
    expect(started).toMatchObject({ parentId: id, variables: { card: "new" } })
    // Each of the two leads to the other.
    const relative = (name: string, of: string) =>
      page.locator("dl > div", { hasText: name }).getByRole("link", { name: of })
    expect(await page.locator("dl > div", { hasText: "Parent" }).count()).toBe(0)
    await relative("Restart of", id).click()
    await relative("Restarted as", started.id).click()
    await relative("Restart of", id).waitFor()
    await workFlows(engine)
    await expect.poll(async () => (await read(started.id)).status).toBe("COMPLETED")
    expect(await read(id)).toMatchObject({ status: "FAILED" })
  })

  test("takes no text that is not an object", async () => {
    await openFailed("broken-list")
    await page.getByRole("button", { name: "Restart…" }).click()
    const send = dialog().getByRole("button", { name: "Restart", exact: true })
    const box = dialog().getByLabel("Variables to change", { exact: true })
    await box.fill("{ 1 }")
    expect(await send.isDisabled()).toBe(true)
    await box.fill("[]")
    await dialog().getByText("Variables are an object").first().waitFor()
    expect(await send.isDisabled()).toBe(true)
    await box.fill("{}")
    expect(await send.isDisabled()).toBe(false)
    await page.keyboard.press("Escape")
    await dialog().waitFor({ state: "detached" })
  })
})

describe("S20: an instance whose steps were undone", () => {
  test("links to the run that undid them, is not retried, and is restarted from its beginning only", async () => {
    const id = await openFailed("undone-list")
    const { undoneBy = "" } = await read(id)
    const link = page.locator("dl > div", { hasText: "Undone by" }).getByRole("link", { name: undoneBy })
    await link.waitFor()
    expect(await page.getByRole("button", { name: /^Retry/ }).count()).toBe(0)
    await page.getByRole("button", { name: "Restart…" }).click()
    expect(await dialog().getByLabel("Begin with").count()).toBe(0)
    await dialog().getByLabel("Variables to change", { exact: true }).fill(`{ "card": "new" }`)
    expect(await confirm()).toMatchObject({ parentId: id, variables: { card: "new" } })
    await page.goBack()
    await link.click()
    await page.waitForURL((url) => url.pathname.endsWith(undoneBy))
    expect(await read(undoneBy)).toMatchObject({ parentId: id })
    expect(complaints).toEqual([])
  })
})
