// Builds the dashboard into the engine, which serves it under /ui/. `vite dev` talks to an engine that runs already.
import tailwindcss from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"

const ENGINE = process.env.MILLRACE_URL ?? "http://127.0.0.1:8080"

/** The engine refuses writes from pages of another origin: through the proxy they are its own. */
const toEngine = {
  target: ENGINE,
  changeOrigin: true,
  headers: { origin: new URL(ENGINE).origin },
}

export default defineConfig({
  root: import.meta.dirname,
  base: "/ui/",
  plugins: [react(), tailwindcss()],
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
  server: { proxy: { "^/(v1|jobs|queues|openapi.json|healthz|readyz|health)\\b": toEngine } },
})
