// A cell is green only when the engine saw the calls of its own wire.
import { expect, test } from "vitest"
import { type Cell, cells } from "../matrix.ts"
import { checkWire } from "./wire-check.ts"

const cell = (name: string): Cell => cells.find((one) => one.name === name)!
const page = (...series: readonly string[]): string => series.map((one) => `${one},status="x"} 3`).join("\n")

const REST_START = 'http_requests_duration_seconds_count{method="POST",path="/v1/instances"'
const RPC_START = 'grpc_requests_duration_seconds_count{method="StartInstance"'
const STREAM = 'grpc_streams_duration_seconds_count{method="StreamJobs"'
const EARLIER_STREAM = 'grpc_requests_duration_seconds_count{method="StreamJobs"'

test("the calls of the cell's own wire are enough", () => {
  checkWire(cell("go rest poll"), page(REST_START))
  checkWire(cell("go grpc stream"), page(RPC_START, STREAM))
})

test("a stream that was never opened is a fault", () => {
  expect(() => checkWire(cell("go grpc stream"), page(RPC_START))).toThrow("never used")
})

test("a start over the other transport is a fault", () => {
  expect(() => checkWire(cell("go grpc poll"), page(RPC_START, REST_START))).toThrow("used http")
})

test("C-T6: an earlier engine, which counts streams among the calls, is understood", () => {
  checkWire(cell("go grpc stream"), page(RPC_START, EARLIER_STREAM))
  expect(() => checkWire(cell("go grpc poll"), page(RPC_START, EARLIER_STREAM))).toThrow("StreamJobs")
})

test("a worker that streams where it was told to poll is a fault", () => {
  expect(() => checkWire(cell("go grpc poll"), page(RPC_START, STREAM))).toThrow("StreamJobs")
})

test("a worker that polls where its jobs come through Kafka is a fault", () => {
  const poll = 'http_requests_duration_seconds_count{method="POST",path="/v1/jobs/poll"'
  checkWire(cell("go rest kafka"), page(REST_START))
  expect(() => checkWire(cell("go rest kafka"), page(REST_START, poll))).toThrow("/v1/jobs/poll")
})
