// How a process of the example ends: on SIGTERM, or when its parent is gone, one part after the other.

export function endInOrder(...ends: readonly (() => Promise<unknown>)[]): void {
  let isEnding = false
  const end = async () => {
    if (isEnding) return
    isEnding = true
    for (const part of ends) await part().catch(() => {})
    process.exit()
  }
  process.once("SIGTERM", end)
  process.once("disconnect", end)
  process.on("SIGINT", () => {}) // Ctrl-C reaches the parent too, which then ends its children in order
}
