// The doors by which work comes into the engine.

/** `library`: code in the caller's own process. `sql`: the functions of the database. */
export const DOORS = ["rest", "grpc", "library", "kafka", "schedule", "sql"] as const
export type Door = (typeof DOORS)[number]
