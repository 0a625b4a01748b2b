// Builds the dashboard into the engine, which serves it under /ui/. `vite dev` talks to an engine that runs already.
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import tailwindcss from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { defineConfig, type Plugin } from "vite"

const ENGINE = process.env.MILLRACE_URL ?? "http://127.0.0.1:8080"

/** The engine refuses writes from pages of another origin: through the proxy they are its own. */
const toEngine = {
  target: ENGINE,
  changeOrigin: true,
  headers: { origin: new URL(ENGINE).origin },
}

const FONTS = ["inter", "jetbrains-mono"] as const

/** The licence of a font goes wherever the font goes. */
const fontLicences: Plugin = {
  name: "font-licences",
  generateBundle() {
    for (const font of FONTS) {
      const path = createRequire(import.meta.url).resolve(`@fontsource-variable/${font}/LICENSE`)
      this.emitFile({ type: "asset", fileName: `licences/${font}.txt`, source: readFileSync(path) })
    }
  },
}

export default defineConfig({
  root: import.meta.dirname,
  base: "/ui/",
  plugins: [react(), tailwindcss(), fontLicences],
  // Nothing is put into the page as a data: address, which the content security policy of fonts and scripts forbids.
  build: {
    outDir: "../engine/ui",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2023",
    reportCompressedSize: false,
    // What nearly every screen needs is one file, not a dozen: a browser fetches six at a time.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "framework", test: /node_modules\/(react|react-dom|scheduler|@tanstack)\// },
            { name: "kit", test: /dashboard\/src\/(kit|api)\// },
          ],
        },
      },
    },
  },
  server: { proxy: { "^/(v1|jobs|queues|admin|openapi.json|healthz|readyz|health)\\b": toEngine } },
})
