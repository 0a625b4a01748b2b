import { expect } from "vitest"
import { engine, openAt, setUpBrowser, test } from "../../test-support/browser-test.ts"
import { expectUsable } from "../../test-support/expect-usable.ts"

setUpBrowser()

test("an operation is found by its words, opened, and its address opens it again", async () => {
  const { page, complaints, close } = await openAt("/docs")
  await page.getByRole("heading", { level: 1, name: "API" }).waitFor()
  await page.getByLabel("Search", { exact: true }).fill("start instance")
  await page.getByText("/v1/instances", { exact: true }).first().click()
  await page.getByText(`curl -s -X POST ${engine.url}/v1/instances -H`).waitFor()
  await page.getByText("definitionId required").first().waitFor()
  await expect
    .poll(() => page.url())
    .toMatch(/api\?find=start\+instance#startInstance$|api\?find=start%20instance#startInstance$/)
  await expectUsable(page, "api")
  const again = await openAt(page.url())
  await again.page.getByText(`curl -s -X POST ${engine.url}/v1/instances -H`).waitFor()
  expect([...complaints, ...again.complaints]).toEqual([])
  await again.close()
  await close()
})
