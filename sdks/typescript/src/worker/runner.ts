// A worker that asks the engine for jobs: by long polls, on the way of its reports, or by a stream.
import { AskingIntake } from "./asking-intake.ts"
import { RunnerBase } from "./runner-base.ts"
import { type RunnerOptions, readOptions } from "./runner-options.ts"

/** A worker: claims jobs, runs their handlers, reports the outcomes, and stops in good order. */
export class Runner extends RunnerBase {
  constructor(options: RunnerOptions) {
    super(options, readOptions(options), (tools) => new AskingIntake(tools))
  }
}
