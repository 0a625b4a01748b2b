// The figures shown per workload: name in the results, unit, and whether more or less of it is better.
const more = (metric, unit) => ({ metric, unit, less: false })
const less = (metric, unit) => ({ metric, unit, less: true })

export const METRICS = {
  start: [more("perS", "/s")],
  workflows: [more("perS", "/s")],
  drain: [more("perS", "/s")],
  idle: [less("p50Ms", " ms p50"), less("p99Ms", " ms p99")],
  "idle-rest": [less("p50Ms", " ms p50"), less("p99Ms", " ms p99"), less("ratio", " × in process")],
  "idle-grpc": [less("p50Ms", " ms p50"), less("p99Ms", " ms p99"), less("ratio", " × REST")],
  "start-grpc": [
    less("p50Ms", " ms p50"),
    less("p50Ratio", " × REST"),
    more("perS", "/s"),
    more("rateRatio", " × REST"),
  ],
  steady: [less("p50Ms", " ms p50"), less("p99Ms", " ms p99"), less("cpuS", " CPU s")],
  history: [
    less("cpuRatio", " of the CPU on an empty store"),
    less("tenthRatio", " with a tenth kept"),
    more("ratio", " of its rate"),
    more("keptPerS", "/s"),
  ],
  snapshot: [more("ratio", " of before"), more("heldPerS", "/s")],
  quiet: [less("statementsPerS", " statements/s")],
  intake: [
    more("ratio", " of a bare route"),
    more("moreRatio", " with 128 callers"),
    more("perS", "/s"),
    less("serverUs", " µs of the server"),
    less("storeUs", " µs of the store"),
  ],
  gateway: [more("ratio", " of a bare proxy"), more("perS", "/s"), less("p99Ratio", " × its p99")],
  "guard-intake": [
    more("offPerS", "/s without"),
    more("memoryRatio", " of it in memory"),
    more("redisRatio", " on Redis"),
    less("memoryAddedMs", " ms more p99 in memory"),
    less("redisAddedMs", " ms on Redis"),
  ],
  "list-restart": [more("stepsPerS", " steps/s")],
  "list-resume": [more("stepsPerS", " steps/s")],
  "list-function": [more("stepsPerS", " steps/s")],
  "jobs-single": [more("perS", "/s")],
  "jobs-bulk": [more("perS", "/s")],
  "jobs-drain": [more("perS", "/s")],
  "jobs-lanes": [more("ratio", " of one lane"), more("lanesPerS", "/s")],
  "jobs-tenants": [less("lastStartMs", " ms to the last start")],
  "jobs-gate": [more("ratio", " of without"), more("onPerS", "/s")],
  "jobs-overload": [
    more("goodput", " of peak"),
    less("waitOfBound", " of the longest wait allowed"),
    less("backS", " s to be back"),
  ],
  abuse: [less("ratio", " of the second third"), less("lastMiB", " MiB"), more("calls", " calls")],
  poison: [
    more("ratio", " of without"),
    less("lateMs", " ms late"),
    more("busyRatio", " beside busy ones"),
    less("rssMiB", " MiB"),
  ],
  "jobs-pace": [
    more("slowPerS", " of 50/s"),
    more("fastPerS", " of 500/s"),
    more("restInTime", " of the rest in time"),
  ],
  "jobs-http": [
    more("perS", " requests/s"),
    less("p50Ms", " ms p50"),
    less("p95Ms", " ms p95"),
    less("p99Ms", " ms p99"),
  ],
  "jobs-retry": [more("completed", " completed"), less("seconds", " s")],
  "ui-lists": [less("worstP95Ms", " ms worst p95")],
  "ui-paint": [
    less("scriptKb", " kB of JavaScript"),
    less("firstPaintMs", " ms to the first paint"),
    less("graphMs", " ms to the graph"),
    less("frameP95Ms", " ms p95 per frame"),
  ],
  "ui-watchers": [less("ratio", " × unwatched"), less("watchedMs", " ms of CPU per job")],
  doctor: [less("seconds", " s")],
  "kafka-producer": [
    more("perS", "/s"),
    more("barePerS", "/s by the client alone"),
    more("smallPerS", "/s in batches of 200"),
    more("ratio", " × the client alone"),
  ],
  "kafka-relay": [
    more("perS", "/s"),
    more("barePerS", "/s by the client alone"),
    more("ratio", " × the client alone"),
    less("ownMs", " ms to the broker"),
    less("ownP99Ms", " ms p99"),
    less("callersMs", " ms of a caller's transaction"),
    less("callersP99Ms", " ms p99"),
    less("callersMaxMs", " ms at most"),
  ],
  "kafka-dispatch": [more("drainRatio", " × polling's rate"), less("idleRatio", " × polling's delay")],
}

/** Of every workload that counts its items. */
export const CPU_PER_ITEM = [less("nodeUs", " µs of Node per item"), less("storeUs", " µs of the store per item")]

/** Of every other. */
export const CPU = less("cpuS", " s of CPU")
