// Runs a command to its end: what it wrote, or an error with the end of what it said.
import { spawn } from "node:child_process"

const SAID = 2_000

/** Inside a git hook GIT_DIR and others name the repository of the hook, and would win over the folder of the command. */
const ownEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")))

export async function command(folder: string, file: string, ...args: readonly string[]): Promise<string> {
  const child = spawn(file, args, { cwd: folder, env: ownEnvironment(), stdio: ["ignore", "pipe", "pipe"] })
  let [wrote, said] = ["", ""]
  child.stdout.on("data", (part: Buffer) => {
    wrote += part
  })
  child.stderr.on("data", (part: Buffer) => {
    said = `${said}${part}`.slice(-SAID)
  })
  const code = await new Promise<unknown>((resolve) => child.once("error", resolve).once("close", resolve))
  if (code === 0) return wrote.trim()
  throw new Error(`${file} ${args.join(" ")} ended with ${code}: ${(said || wrote).trim().slice(-SAID)}`)
}
