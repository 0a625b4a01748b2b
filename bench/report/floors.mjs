// The floors Millrace must reach, one entry per workload.
//
// A rule with `against` compares Millrace with each named peer inside each round and takes the median of those ratios;
// a rule without judges Millrace's own figure.
const ALL_PEERS = ["graphile-worker", "pg-boss", "dbos", "bullmq-pg", "restate"]

export const floors = [
  { workload: "start", text: "≥ 12 × pg-boss", rules: [{ metric: "perS", against: ["pg-boss"], atLeast: 12 }] },
  {
    workload: "workflows",
    text: "≥ 25 × DBOS, ≥ 8 × Restate",
    rules: [
      { metric: "perS", against: ["dbos"], atLeast: 25 },
      { metric: "perS", against: ["restate"], atLeast: 8 },
    ],
  },
  {
    workload: "drain",
    text: "≥ 1 × Graphile Worker",
    rules: [{ metric: "perS", against: ["graphile-worker"], atLeast: 1 }],
  },
  {
    workload: "idle",
    text: "p50 ≤ 2 ms, p99 ≤ 6 ms, both below every peer",
    rules: [
      { metric: "p50Ms", atMost: 2 },
      { metric: "p99Ms", atMost: 6 },
      { metric: "p50Ms", against: ALL_PEERS, below: 1 },
      { metric: "p99Ms", against: ALL_PEERS, below: 1 },
    ],
  },
  { workload: "idle-rest", text: "p50 ≤ 2 × in process", rules: [{ metric: "ratio", atMost: 2 }] },
  // The floor compares how a job comes to its worker, so both are started over REST. `ratio` has the starts over gRPC, too.
  {
    workload: "idle-grpc",
    text: "p50 with StreamJobs ≤ with long polls",
    rules: [{ metric: "workerRatio", atMost: 1 }],
  },
  {
    workload: "start-grpc",
    text: "one caller's p50 ≤ 1.2 × REST's, 32 callers ≥ 0.8 × REST's",
    rules: [
      { metric: "p50Ratio", atMost: 1.2 },
      { metric: "rateRatio", atLeast: 0.8 },
    ],
  },
  {
    workload: "steady",
    text: "p99 ≤ 8 ms and below Graphile Worker and Restate, CPU seconds ≤ 0.6 × every peer",
    rules: [
      { metric: "p99Ms", atMost: 8 },
      { metric: "p99Ms", against: ["graphile-worker", "restate"], below: 1 },
      { metric: "cpuS", against: ALL_PEERS, atMost: 0.6 },
    ],
  },
  {
    workload: "history",
    text: "CPU per instance ≤ 1.05 × on an empty store, with all kept and with a tenth",
    rules: [
      { metric: "cpuRatio", atMost: 1.05 },
      { metric: "tenthRatio", atMost: 1.05 },
    ],
  },
  { workload: "snapshot", text: "≥ 0.8 of its rate before", rules: [{ metric: "ratio", atLeast: 0.8 }] },
  { workload: "quiet", text: "≤ 2 statements/s", rules: [{ metric: "statementsPerS", atMost: 2 }] },
  { workload: "intake", text: "≥ 0.3 × a bare Fastify route", rules: [{ metric: "ratio", atLeast: 0.3 }] },
  {
    workload: "gateway",
    text: "≥ 0.8 × a bare @fastify/http-proxy, p99 ≤ 1.3 ×",
    rules: [
      { metric: "ratio", atLeast: 0.8 },
      { metric: "p99Ratio", atMost: 1.3 },
    ],
  },
  {
    workload: "guard-intake",
    text: "≥ 0.9 of without in memory, ≥ 0.6 on Redis; p99 ≤ 1 ms more in memory, ≤ 5 ms on Redis",
    rules: [
      { metric: "memoryRatio", atLeast: 0.9 },
      { metric: "redisRatio", atLeast: 0.6 },
      { metric: "memoryAddedMs", atMost: 1 },
      { metric: "redisAddedMs", atMost: 5 },
    ],
  },
  { workload: "list-restart", text: "≥ 50 × DBOS", rules: [{ metric: "stepsPerS", against: ["dbos"], atLeast: 50 }] },
  { workload: "list-resume", text: "≥ 8 × DBOS", rules: [{ metric: "stepsPerS", against: ["dbos"], atLeast: 8 }] },
  { workload: "list-function", text: "≥ 6 × DBOS", rules: [{ metric: "stepsPerS", against: ["dbos"], atLeast: 6 }] },
  {
    workload: "jobs-single",
    text: "≥ 12 × pg-boss, ≥ 1.3 × BullMQ on Redis with appendfsync always",
    rules: [
      { metric: "perS", against: ["pg-boss"], atLeast: 12 },
      { metric: "perS", against: ["bullmq-redis"], atLeast: 1.3 },
    ],
  },
  {
    workload: "jobs-bulk",
    text: "≥ 3 × Graphile Worker",
    rules: [{ metric: "perS", against: ["graphile-worker"], atLeast: 3 }],
  },
  {
    workload: "jobs-drain",
    text: "≥ 2 × Graphile Worker",
    rules: [{ metric: "perS", against: ["graphile-worker"], atLeast: 2 }],
  },
  { workload: "jobs-lanes", text: "≥ 0.8 × its rate in one lane", rules: [{ metric: "ratio", atLeast: 0.8 }] },
  {
    workload: "jobs-tenants",
    text: "the small tenant's last job starts within 1 s",
    rules: [{ metric: "lastStartMs", atMost: 1000 }],
  },
  { workload: "jobs-gate", text: "≥ 0.8 × without admission", rules: [{ metric: "ratio", atLeast: 0.8 }] },
  {
    workload: "jobs-overload",
    text: "goodput ≥ 0.9 of peak, p99 wait ≤ 1.25 × high watermark ÷ peak, back within 60 s",
    rules: [
      { metric: "goodput", atLeast: 0.9 },
      { metric: "waitOfBound", atMost: 1.25 },
      { metric: "backS", atMost: 60 },
    ],
  },
  {
    workload: "jobs-pace",
    text: "50/s and 500/s within 5 %, 95 % of the rest start within 100 ms",
    rules: [
      { metric: "slowRatio", atLeast: 0.95, atMost: 1.05 },
      { metric: "fastRatio", atLeast: 0.95, atMost: 1.05 },
      { metric: "restInTime", atLeast: 0.95 },
    ],
  },
  {
    workload: "jobs-http",
    text: "≥ 56 requests/s, p95 ≤ 640 ms",
    rules: [
      { metric: "perS", atLeast: 56 },
      { metric: "p95Ms", atMost: 640 },
    ],
  },
  { workload: "jobs-retry", text: "≥ 99.9 % complete", rules: [{ metric: "completed", atLeast: 0.999 }] },
  {
    workload: "ui-lists",
    text: "p95 < 100 ms per page of 1,000,000 rows, the first and the thousandth",
    rules: [{ metric: "worstP95Ms", atMost: 100 }],
  },
  {
    workload: "ui-paint",
    text: "≤ 200 kB of JavaScript, first paint < 1 s, 500 steps drawn < 1 s",
    rules: [
      { metric: "scriptKb", atMost: 200 },
      { metric: "firstPaintMs", atMost: 1000 },
      { metric: "graphMs", atMost: 1000 },
    ],
  },
  {
    workload: "ui-watchers",
    text: "CPU per job ≤ 1.1 × with three dashboards open",
    rules: [{ metric: "ratio", atMost: 1.1 }],
  },
  {
    workload: "poison",
    text: "≥ 0.7 of the throughput without, timers ≤ 2 s late, always ready",
    rules: [
      { metric: "ratio", atLeast: 0.7 },
      { metric: "lateMs", atMost: 2000 },
      { metric: "notReady", atMost: 0 },
    ],
  },
  {
    workload: "abuse",
    text: "highest resident size of the last third ≤ 1.1 × that of the second, always ready, no 500",
    rules: [
      { metric: "ratio", atMost: 1.1 },
      { metric: "notReady", atMost: 0 },
      { metric: "faults", atMost: 0 },
    ],
  },
  { workload: "doctor", text: "≤ 60 s for 10,000,000 rows", rules: [{ metric: "seconds", atMost: 60 }] },
  { workload: "kafka-producer", text: "≥ 0.6 × the client alone", rules: [{ metric: "ratio", atLeast: 0.6 }] },
  {
    workload: "kafka-relay",
    text: "≥ 20,000/s or 0.5 × the client alone, whichever is lower; to the broker in < 10 ms, of a caller's transaction in < 100 ms and never > 1 s",
    rules: [
      { metric: "share", atLeast: 1 },
      { metric: "ownMs", atMost: 10 },
      { metric: "callersMs", atMost: 100 },
      { metric: "callersMaxMs", atMost: 1000 },
    ],
  },
  {
    workload: "kafka-dispatch",
    text: "a start reaches its handler through Kafka within 500 ms, p99",
    rules: [{ metric: "kafkaP99Ms", atMost: 500 }],
  },
]
