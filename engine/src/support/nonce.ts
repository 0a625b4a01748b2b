// 128 random bits in the form of a uuid, which is how PostgreSQL stores them in 16 bytes.
import { randomFillSync } from "node:crypto"

// A call to the generator costs more than the bytes: fetched by 4 KiB.
const pool = Buffer.allocUnsafe(4_096)
let used = pool.length

export function randomNonce(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const hex = pool.toString("hex", used, used + 16)
  pool.fill(0, used, used + 16)
  used += 16
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
