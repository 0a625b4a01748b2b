// Where tests put the files of their servers: in memory where there is room for them, which makes a database in a seventh of the time.
import { accessSync, constants, mkdtempSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** The shared memory of Linux. Containers often have no more than 64 MB there. */
const SHARED_MEMORY = "/dev/shm"
const ROOM = 6 * 1024 ** 3

/** A new folder; the caller removes it. */
export const makeServerFolder = (prefix: string): string =>
  mkdtempSync(join(hasRoom() ? SHARED_MEMORY : tmpdir(), prefix))

function hasRoom(): boolean {
  try {
    accessSync(SHARED_MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(SHARED_MEMORY)
    return bavail * bsize >= ROOM
  } catch {
    return false
  }
}
