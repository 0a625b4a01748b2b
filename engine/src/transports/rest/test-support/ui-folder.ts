// A dashboard of a few files, as the build would leave it: for tests that must not depend on the build.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"

export const UI_FILES: Readonly<Record<string, string>> = {
  "index.html": '<!doctype html><title>Millrace</title><script type="module" src="/ui/assets/index-1a2b.js"></script>',
  "assets/index-1a2b.js": `export const words = ${JSON.stringify("millrace ".repeat(500))}`,
  "assets/logo.png": "pixel".repeat(1_000),
  "favicon.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
}

export interface UiFolder {
  readonly url: URL
  write(name: string, text: string): Promise<void>
  remove(): Promise<void>
}

export async function createUiFolder(files = UI_FILES): Promise<UiFolder> {
  const parent = await mkdtemp(join(tmpdir(), "millrace-ui-"))
  const path = join(parent, "ui")
  const write = async (name: string, text: string) => {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), text)
  }
  for (const [name, text] of Object.entries(files)) await write(name, text)
  return { url: pathToFileURL(`${path}/`), write, remove: () => rm(parent, { recursive: true, force: true }) }
}
