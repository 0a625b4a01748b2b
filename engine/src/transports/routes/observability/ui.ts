// Routes of the dashboard's page: it holds no data, so anyone may load it; what it shows it asks the API for.
import { notFound } from "../../../support/errors.ts"
import type { Answer, Call, Route } from "../../calls/route.ts"
import { namesFile, type UiFile, UiFiles } from "./ui-files.ts"

const BUILT = new URL("../../../../ui/", import.meta.url)

/** Nothing but our own files, no inline script or style, never inside a frame. */
const PAGE_HEADERS = {
  "content-security-policy":
    "default-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "x-frame-options": "DENY",
}

const NOT_BUILT: Answer = {
  status: 503,
  contentType: "text/plain; charset=utf-8",
  body: "The dashboard has not been built yet: run `npm run build` and load this page again. The API works without it.\n",
}

/** `folder` is where the build puts the files, unless a test has others. */
export function uiRoutes({ uiFolder: folder = BUILT }: { readonly uiFolder?: URL | undefined }): readonly Route[] {
  const files = new UiFiles(folder)
  const page = (path: string, handle: Route["handle"], more: Partial<Route> = {}): Route => ({
    method: "GET",
    path,
    permission: "anyone",
    routeClass: "health",
    quiet: true,
    headers: PAGE_HEADERS,
    handle,
    ...more,
  })
  return [
    page("/", () => redirectTo("/ui/")),
    page("/ui", () => redirectTo("/ui/")),
    page("/docs", () => redirectTo("/ui/api")),
    page("/ui/{path}", (call) => answerFile(files, call), { openEnded: true }),
  ]
}

const redirectTo = (location: string): Answer => ({ status: 302, headers: { location } })

async function answerFile(files: UiFiles, call: Call): Promise<Answer> {
  const known = await files.read()
  if (!known) return NOT_BUILT
  const name = call.path.slice("/ui/".length)
  const file = known.get(name)
  if (file) return contentOf(file, name, call)
  if (namesFile(name)) throw notFound("there is no such file of the dashboard; load the page again")
  // The page knows by itself what its other paths show.
  return contentOf(known.get("index.html") as UiFile, "index.html", call)
}

async function contentOf(file: UiFile, name: string, { headers: asked }: Call): Promise<Answer> {
  const headers = {
    etag: file.etag,
    // Names of assets carry a hash of their content; everything else is asked for again.
    "cache-control": name.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache",
    // The door says Origin where CORS is on; this replaces it.
    vary: "Accept-Encoding, Origin",
  }
  if (asked["if-none-match"]?.includes(file.etag)) return { status: 304, headers }
  const gzipped = takesGzip(asked["accept-encoding"]) ? await file.gzipped() : undefined
  if (!gzipped) return { status: 200, headers, body: file.body, contentType: file.type }
  return { status: 200, headers: { ...headers, "content-encoding": "gzip" }, body: gzipped, contentType: file.type }
}

const takesGzip = (accepted = ""): boolean =>
  accepted.split(",").some((one) => /^\s*gzip\s*(;\s*q=(1|0\.\d*[1-9])|$)/.test(one))
