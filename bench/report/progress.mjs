// Tells how far a run is: one line rewritten in place on a terminal, one line per finished run elsewhere.
export function createProgress(total) {
  const terminal = process.stderr.isTTY
  const startedAt = performance.now()
  let done = 0
  let current
  const elapsed = () => `${Math.round((performance.now() - startedAt) / 1000)} s`
  const draw = () => process.stderr.write(`\r\x1b[K[${done}/${total}] ${current} … ${elapsed()}`)
  const ticker = terminal ? setInterval(() => current && draw(), 1000) : undefined
  return {
    begin({ workload, round, contestant }) {
      current = `${workload}, round ${round}, ${contestant}`
      if (terminal) draw()
    },
    end(text) {
      done++
      process.stderr.write(`${terminal ? "\r\x1b[K" : ""}[${done}/${total}] ${current}: ${text}\n`)
      current = undefined
    },
    stop: () => clearInterval(ticker),
  }
}
