// The library's front door.

export { type Handler, type Job, NonRetryableError } from "./library/worker.ts"
export { type OpenEngine, type OpenEngineOptions, openEngine } from "./open-engine.ts"
export { EngineError } from "./support/errors.ts"
