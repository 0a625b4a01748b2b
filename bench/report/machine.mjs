// What the figures were taken on; written beside each of them.
import os from "node:os"

export function describeEnvironment({ cluster, node }) {
  const cpus = os.cpus()
  const gib = Math.round(os.totalmem() / 2 ** 30)
  return {
    machine: { cpus: cpus.length, model: cpus[0]?.model ?? "unknown", memoryGib: gib, kernel: os.release() },
    node: node.version,
    postgres: cluster.settings,
  }
}

export function describeInWords({ machine, node, postgres }) {
  const { server_version, fsync, synchronous_commit, shared_buffers } = postgres
  const settings = `fsync ${fsync}, synchronous_commit ${synchronous_commit}, shared_buffers ${shared_buffers}`
  const box = `${machine.cpus} × ${machine.model}, ${machine.memoryGib} GiB`
  return `${box}; Node ${node.slice(1)}; PostgreSQL ${server_version} (${settings})`
}
