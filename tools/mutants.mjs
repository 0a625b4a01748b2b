// `npm run mutants`: plants one bug at a time in a copy of the checkout, and reports which test finds it. `--help` tells the rest.
import { fileURLToPath } from "node:url"
import { createViteServer } from "vitest/node"

// Node 20 reads no TypeScript. The server translates what is loaded through it, and listens on nothing.
const server = await createViteServer({
  root: fileURLToPath(new URL("..", import.meta.url)),
  configFile: false,
  appType: "custom",
  logLevel: "error",
  optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
})
const part = process.send ? "lane" : "main"
const { run } = await server.ssrLoadModule(`/tools/mutants/${part}.ts`)
try {
  process.exitCode = await run(process.argv.slice(2))
} finally {
  await server.close()
}
