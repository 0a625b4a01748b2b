// The library's front door.

export type { Job } from "./library/running-job.ts"
export { type Handler, NonRetryableError } from "./library/worker.ts"
export { type OpenEngine, type OpenEngineOptions, openEngine } from "./open-engine.ts"
export { EngineError } from "./support/errors.ts"
