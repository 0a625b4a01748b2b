// The child process of one run: opens one contestant, runs one workload, sends its figures to the parent, closes.
import { fileURLToPath } from "node:url"
import { workloads } from "./workloads/index.mjs"

process.once("message", async (order) => {
  const opened = []
  try {
    const contestant = await import(`./contestants/${order.module}.mjs`)
    const open = async (overrides) => {
      const { dsn, directory, workload } = order
      const target = closableOnce(await contestant.create({ dsn, directory, workload, ...overrides }))
      opened.push(target)
      return target
    }
    const figures = await workloads[order.workload].run({ ...order, open })
    report({ figures, version: contestant.version, settings: opened[0]?.settings })
  } catch (error) {
    report({ error: withoutPaths(error.stack ?? String(error)) })
  }
  const limit = setTimeout(() => process.exit(), 10_000)
  await Promise.allSettled(opened.map((target) => target.close()))
  clearTimeout(limit)
  process.exit()
})

// The parent is gone: nobody reads the figures, and a server of ours must not outlive it.
process.once("disconnect", () => process.exit(1))

// A workload may close what it opened; the end of the run closes the rest.
function closableOnce(target) {
  let closing
  return { ...target, close: () => (closing ??= target.close()) }
}

// Results may be published: they name files of the repository, not where it lies.
const ROOT = new URL("..", import.meta.url)
const withoutPaths = (text) => text.replaceAll(ROOT.href, "").replaceAll(fileURLToPath(ROOT), "")

const report = (message) => process.send(message)
