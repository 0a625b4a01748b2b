// The settings of the pool of database connections: how many, how long one is waited for, asked and kept.
import { duration, integer } from "./kinds.ts"

export const databaseSettings = {
  dbMaxConns: integer({
    name: "DB_MAX_CONNS",
    default: ({ cpus }) => Math.max(4, 4 * cpus),
    min: 1,
    max: 1_000,
    unit: "connections",
    doc: "Most database connections of this process (default: 4 per CPU, at least 4).",
  }),
  dbMinConns: integer({
    name: "DB_MIN_CONNS",
    default: 0,
    min: 0,
    max: 1_000,
    unit: "connections",
    doc: "Connections kept open when idle; at most DB_MAX_CONNS.",
  }),
  dbConnectTimeoutMs: duration({
    name: "DB_CONNECT_TIMEOUT",
    default: "5s",
    min: "100ms",
    max: "5m",
    doc: "Time to get a connection: to open one, or to wait until one of DB_MAX_CONNS is free.",
  }),
  dbStatementTimeoutMs: duration({
    name: "DB_STATEMENT_TIMEOUT",
    default: "15s",
    min: "100ms",
    max: "10m",
    doc: "Time for the answer to a statement; then its connection is given up. Migrations and upkeep have their own.",
  }),
  dbConnectionLifetimeMs: duration({
    name: "DB_CONNECTION_LIFETIME",
    default: "30m",
    min: "0s",
    max: "7d",
    doc: "Age after which a connection is replaced, once it is idle: after a move of the database all lead to the new place. 0s: never.",
  }),
} as const
