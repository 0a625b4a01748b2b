// The generated pages are fresh; `npm run generate` writes them.
import { expect, test } from "vitest"
import { configurationPage } from "./reference/configuration.ts"
import { errorsPage } from "./reference/errors.ts"
import { licencesPage } from "./reference/licences.ts"
import { metricsPage } from "./reference/metrics.ts"

const pages = { configuration: configurationPage, errors: errorsPage, metrics: metricsPage }

test("SEC-69: docs/reference/licences.md lists what all four languages bring along", async () => {
  await expect(licencesPage()).toMatchFileSnapshot("../docs/reference/licences.md")
})

test.each(Object.entries(pages))("docs/reference/%s.md is what the code says", async (name, make) => {
  await expect(await make()).toMatchFileSnapshot(`../docs/reference/${name}.md`)
})
