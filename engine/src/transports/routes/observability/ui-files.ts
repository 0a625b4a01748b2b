// The files of the dashboard: read once into memory under fixed names, so that no path of a request ever reaches the disk.
import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { constants, gzip } from "node:zlib"

const compress = promisify(gzip)

/** By extension. What is not text is not worth compressing. */
const TYPES: Readonly<Record<string, { readonly type: string; readonly text: boolean }>> = {
  html: { type: "text/html; charset=utf-8", text: true },
  js: { type: "text/javascript; charset=utf-8", text: true },
  css: { type: "text/css; charset=utf-8", text: true },
  json: { type: "application/json; charset=utf-8", text: true },
  map: { type: "application/json; charset=utf-8", text: true },
  txt: { type: "text/plain; charset=utf-8", text: true },
  webmanifest: { type: "application/manifest+json; charset=utf-8", text: true },
  svg: { type: "image/svg+xml; charset=utf-8", text: true },
  png: { type: "image/png", text: false },
  ico: { type: "image/x-icon", text: false },
  woff2: { type: "font/woff2", text: false },
}
/** A file that fits one packet gains nothing. */
const WORTH_COMPRESSING = 1_024

const extensionOf = (name: string): string => /\.([a-z0-9]+)$/.exec(name)?.[1] ?? ""

/** Whether a path asks for a file rather than for a page: pages may have dots in the names they show. */
export const namesFile = (path: string): boolean =>
  path.startsWith("assets/") || Object.hasOwn(TYPES, extensionOf(path))

export class UiFile {
  readonly type: string
  readonly etag: string
  readonly body: Buffer
  readonly #isText: boolean
  #gzipped: Promise<Buffer> | undefined

  constructor(name: string, body: Buffer) {
    const { type, text } = TYPES[extensionOf(name)] ?? { type: "application/octet-stream", text: false }
    this.type = type
    this.body = body
    this.#isText = text
    // Weak, for it names the content however it is encoded.
    this.etag = `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`
  }

  /** Made when it is first asked for, and kept. */
  gzipped(): Promise<Buffer> | undefined {
    if (!this.#isText || this.body.length < WORTH_COMPRESSING) return undefined
    this.#gzipped ??= compress(this.body, { level: constants.Z_BEST_COMPRESSION })
    return this.#gzipped
  }
}

export class UiFiles {
  readonly #folder: string
  #files: Promise<ReadonlyMap<string, UiFile>> | undefined

  constructor(folder: URL) {
    this.#folder = fileURLToPath(folder)
  }

  /** By name, `assets/index-1a2b.js`; undefined while the dashboard has not been built. */
  async read(): Promise<ReadonlyMap<string, UiFile> | undefined> {
    this.#files ??= readFolder(this.#folder)
    const files = await this.#files.catch((error: NodeJS.ErrnoException) => {
      this.#files = undefined
      if (error.code !== "ENOENT") throw error
      return new Map<string, UiFile>()
    })
    if (files.has("index.html")) return files
    // Looked for again next time: the build may be running just now.
    this.#files = undefined
    return undefined
  }
}

async function readFolder(folder: string): Promise<ReadonlyMap<string, UiFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const files = await Promise.all(
    paths.map(async (path) => {
      const name = relative(folder, path).replaceAll(sep, "/")
      return [name, new UiFile(name, await readFile(path))] as const
    }),
  )
  return new Map(files)
}
