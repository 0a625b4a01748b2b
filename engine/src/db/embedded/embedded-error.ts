// Why the embedded PostgreSQL cannot run, in one line that says what to do.

export class EmbeddedError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = "EmbeddedError"
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of the path is a file, not a folder",
  EEXIST: "it is a file, not a folder",
  ENOENT: "a part of the path does not exist",
}

/** Runs file work on the data folder, with its failures put in words. */
export function onFolder<T>(folder: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ""]
    if (!reason) throw error
    throw new EmbeddedError(`data folder ${folder} cannot be used: ${reason}; choose another with WE_DATA_DIR`, error)
  }
}
