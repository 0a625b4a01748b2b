import { EventEmitter } from "node:events"
import { expect, test, vi } from "vitest"
import { runUntilStopped, type Started } from "./run-until-stopped.ts"

function setUp() {
  const signals = new EventEmitter()
  const stopped: string[] = []
  const part = (name: string, stop = async () => {}): Started => ({
    name,
    stop: async () => {
      await stop()
      stopped.push(name)
    },
  })
  let now = 0
  const pass = (ms: number) => {
    now += ms
  }
  const clock = { nowMs: () => now, pass }
  return { signals, stopped, part, clock, force: vi.fn(), say: vi.fn() }
}

test.each(["SIGINT", "SIGTERM", "SIGHUP"])(
  "%s stops everything, newest first, and leaves no listener",
  async (signal) => {
    const { signals, stopped, part, force, say } = setUp()
    const start = async (add: (part: Started) => void) => {
      add(part("database"))
      add(part("engine"))
      setImmediate(() => signals.emit(signal))
    }
    await runUntilStopped({ start, say, force, signals })
    expect(stopped).toEqual(["engine", "database"])
    expect(signals.listenerCount(signal)).toBe(0)
    expect(force).not.toHaveBeenCalled()
  },
)

test("a signal during the start stops what runs and starts no more", async () => {
  const { signals, stopped, part, force, say } = setUp()
  const next = vi.fn()
  const start = async (add: (part: Started) => void) => {
    signals.emit("SIGINT")
    add(part("database"))
    next()
  }
  await runUntilStopped({ start, say, force, signals })
  expect(stopped).toEqual(["database"])
  expect(next).not.toHaveBeenCalled()
})

test("a second Ctrl-C forces; the echo of the first does not", async () => {
  const { signals, part, clock, force, say } = setUp()
  const start = async (add: (part: Started) => void) => {
    add(
      part("engine", async () => {
        clock.pass(20)
        signals.emit("SIGINT")
        expect(force).not.toHaveBeenCalled()
        clock.pass(500)
        signals.emit("SIGINT")
        expect(force).toHaveBeenCalledOnce()
      }),
    )
    setImmediate(() => signals.emit("SIGINT"))
  }
  await runUntilStopped({ start, say, force, signals, nowMs: clock.nowMs })
})

test("a failed start stops what had started and tells why it failed", async () => {
  const { signals, stopped, part, force, say } = setUp()
  const start = async (add: (part: Started) => void) => {
    add(part("database"))
    throw new Error("port in use")
  }
  await expect(runUntilStopped({ start, say, force, signals })).rejects.toThrow("port in use")
  expect(stopped).toEqual(["database"])
})

test("a part that fails to stop does not keep the others running", async () => {
  const { signals, stopped, part, force, say } = setUp()
  const start = async (add: (part: Started) => void) => {
    add(part("database"))
    add(part("engine", () => Promise.reject(new Error("stuck"))))
    setImmediate(() => signals.emit("SIGTERM"))
  }
  await expect(runUntilStopped({ start, say, force, signals })).rejects.toThrow("stuck")
  expect(stopped).toEqual(["database"])
})
