// The floors Millrace must reach, one entry per workload.
//
// A rule with `against` compares Millrace with each named peer inside each round and takes the median of those ratios;
// a rule without judges Millrace's own figure.
const POSTGRES_PEERS = ["graphile-worker", "pg-boss", "dbos", "bullmq-pg"]
const STEADY_PEERS = ["graphile-worker", "restate"]

export const floors = [
  { workload: "start", text: "≥ 8 × pg-boss", rules: [{ metric: "perS", against: ["pg-boss"], atLeast: 8 }] },
  { workload: "workflows", text: "≥ 12 × DBOS", rules: [{ metric: "perS", against: ["dbos"], atLeast: 12 }] },
  {
    workload: "drain",
    text: "≥ 0.3 × Graphile Worker",
    rules: [{ metric: "perS", against: ["graphile-worker"], atLeast: 0.3 }],
  },
  {
    workload: "idle",
    text: "p50 and p99 below every PostgreSQL peer",
    rules: [
      { metric: "p50Ms", against: POSTGRES_PEERS, below: 1 },
      { metric: "p99Ms", against: POSTGRES_PEERS, below: 1 },
    ],
  },
  { workload: "idle-rest", text: "p50 ≤ 2 × in process", rules: [{ metric: "ratio", atMost: 2 }] },
  {
    workload: "steady",
    text: "p99 and CPU seconds below Graphile Worker and Restate",
    rules: [
      { metric: "p99Ms", against: STEADY_PEERS, below: 1 },
      { metric: "cpuS", against: STEADY_PEERS, below: 1 },
    ],
  },
  { workload: "history", text: "≥ 0.8 of its empty rate", rules: [{ metric: "ratio", atLeast: 0.8 }] },
  { workload: "snapshot", text: "≥ 0.5 of its rate before", rules: [{ metric: "ratio", atLeast: 0.5 }] },
  { workload: "quiet", text: "≤ 2 statements/s", rules: [{ metric: "statementsPerS", atMost: 2 }] },
  { workload: "intake", text: "≥ 0.3 × a bare Fastify route", rules: [{ metric: "ratio", atLeast: 0.3 }] },
  { workload: "list-restart", text: "≥ 50 × DBOS", rules: [{ metric: "stepsPerS", against: ["dbos"], atLeast: 50 }] },
  { workload: "list-resume", text: "≥ 8 × DBOS", rules: [{ metric: "stepsPerS", against: ["dbos"], atLeast: 8 }] },
  { workload: "list-function", text: "≥ 6 × DBOS", rules: [{ metric: "stepsPerS", against: ["dbos"], atLeast: 6 }] },
]
