// The relay as a process of its own: `millrace start --services relay`, which ends when its parent is gone.

process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))
process.argv.splice(2, process.argv.length, "start", "--services", "relay")
await import(new URL("../bin/millrace.js", import.meta.resolve("millrace")).href)
