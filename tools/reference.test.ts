// The generated pages are fresh; `npm run generate` writes them.
import { expect, test } from "vitest"
import { configurationPage } from "./reference/configuration.ts"
import { errorsPage } from "./reference/errors.ts"
import { catalogueFaults, faultsPage } from "./reference/faults.ts"
import { licencesPage } from "./reference/licences.ts"
import { metricsPage } from "./reference/metrics.ts"

const pages = { configuration: configurationPage, errors: errorsPage, faults: faultsPage, metrics: metricsPage }

test("SEC-69: docs/reference/licences.md lists what all four languages bring along", async () => {
  await expect(licencesPage()).toMatchFileSnapshot("../docs/reference/licences.md")
})

test.each(Object.entries(pages))("docs/reference/%s.md is what the code says", async (name, make) => {
  await expect(await make()).toMatchFileSnapshot(`../docs/reference/${name}.md`)
})

test("every fault and every promise has a test or a reason, and every id in the name of a test is in the catalogue", () => {
  expect(catalogueFaults()).toEqual([])
})
