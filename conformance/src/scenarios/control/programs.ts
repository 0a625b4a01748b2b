// Where the program of each language is, and how it is built.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Sdk } from "../matrix.ts"

const FOLDERS: Readonly<Record<Sdk, string>> = {
  typescript: "sdks/typescript",
  go: "sdks/go",
  java: "sdks/java",
  python: "sdks/python",
  "legacy-go": "conformance/legacy/go",
  "legacy-python": "conformance/legacy/python",
}

const ROOT = new URL("../../../../", import.meta.url)

export const programOf = (sdk: Sdk): string => fileURLToPath(new URL(`${FOLDERS[sdk]}/conformance-program`, ROOT))

/** Builds it; the reason when that is not possible. */
export async function buildProgram(sdk: Sdk): Promise<string | undefined> {
  const file = programOf(sdk)
  if (!existsSync(file)) return `there is no ${FOLDERS[sdk]}/conformance-program`
  const child = spawn(file, ["build"], { stdio: ["ignore", "pipe", "pipe"] })
  let said = ""
  const listen = (part: Buffer) => {
    said = `${said}${part}`.slice(-2_000)
  }
  child.stdout.on("data", listen)
  child.stderr.on("data", listen)
  const code = await new Promise<unknown>((resolve) => child.once("error", resolve).once("exit", resolve))
  return code === 0 ? undefined : `its program cannot be built (${code}): ${said.trim()}`
}
