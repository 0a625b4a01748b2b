// Deliveries in columns.
import { expect, test } from "vitest"
import { Deliveries } from "./deliveries.ts"

const times = { askedAt: 1, claimedAt: 2, until: 3 }

test("the deliveries of a job come by epoch, wherever they were added, and however many there are", () => {
  const deliveries = new Deliveries()
  for (let n = 5_000; n > 0; n--) deliveries.add(n, `2.0000000${n % 10}-0`, times)
  for (let n = 5_000; n > 0; n--) deliveries.add(n, "1.ffffffff-0", times)
  expect(deliveries.count).toBe(10_000)
  expect(deliveries.of(1_234).map(({ epoch, secret }) => [epoch, secret])).toEqual([
    [1, 0xffffffff],
    [2, 4],
  ])
  expect(deliveries.of(5_001)).toEqual([])
  deliveries.add(5_001, "1.00000001-0", times)
  expect(deliveries.of(5_001)).toHaveLength(1)
})

test("what is known of a report is that of the one that got the verdict", () => {
  const deliveries = new Deliveries()
  const row = deliveries.add(3, "1.00000001-0", times)
  expect(deliveries.of(3)[0]).toMatchObject({ verdict: "none", isAmbiguous: false, reportedAt: 0, ...times })
  deliveries.reported(row, 10)
  deliveries.unheard(row)
  deliveries.reported(row, 20)
  deliveries.told(row, "stale")
  deliveries.reported(row, 30)
  expect(deliveries.of(3)[0]).toMatchObject({ verdict: "stale", isAmbiguous: true, reportedAt: 20 })
})
