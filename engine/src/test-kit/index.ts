// The test kit's front door: `import { crashSweep, testEngine } from "millrace/testing"`.

export { type CrashReport, CrashSweepError, type CrashSweepOptions, crashSweep } from "./crash-sweep.ts"
export type { Stubs } from "./stub.ts"
export { type RunOptions, type TestEngine, type TestEngineOptions, testEngine } from "./test-engine.ts"
