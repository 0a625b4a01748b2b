// The order of the test files: those that take longest begin first, so that no worker is left alone with one at the end.
import { relative } from "node:path"
import type { TestSpecification } from "vitest/node"
import { BaseSequencer } from "vitest/node"
import { root } from "./files.ts"

/** Ten seconds and more, or small files with much to wait for. All others follow by what the last run took, or by their size. */
const LONGEST = [
  "engine/src/model/instances/simulation.test.ts",
  "engine/src/cli/commands/serve/processes/processes.test.ts",
  "engine/src/test-support/interleave.test.ts",
  "conformance/src/scenarios/scenarios.test.ts",
  "engine/src/test-support/interleave-branches.test.ts",
  "engine/src/db/embedded.test.ts",
  "examples/onboarding/src/spike/spike.test.ts",
  "engine/src/transports/rest/sql-states.test.ts",
  "engine/src/services/series.test.ts",
  "engine/src/test-kit/crash-sweep.test.ts",
  "conformance/src/fuzz/fuzz.test.ts",
  "tools/readme.test.ts",
  "engine/src/millrace-database.test.ts",
  "engine/src/library/running/undo-races.test.ts",
  "engine/src/transports/calls/database-outage.test.ts",
  "examples/tissue-analysis/src/tissue-analysis.test.ts",
  "engine/src/transports/rest/guard-shadow.test.ts",
  "engine/src/transports/rest/plumbing/http-server.test.ts",
  "engine/src/library/running/consume/consume.test.ts",
  "engine/src/transports/rest/reach.test.ts",
  "engine/src/kafka-unloaded.test.ts",
  "engine/src/cli.test.ts",
  "examples/onboarding/src/onboarding.test.ts",
  "engine/src/operations/kernel/server-faults.test.ts",
  "engine/src/test-support/interleave-late.test.ts",
  "examples/payments/src/load/load.test.ts",
  "engine/src/operations/kernel/outage.test.ts",
  "examples/onboarding/src/main.test.ts",
  "engine/src/simulation/simulation.test.ts",
  "examples/gateway/src/gateway.test.ts",
  "engine/src/library/running/list-storm.test.ts",
  "engine/src/services/meter.test.ts",
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.indexOf(relative(root, moduleId))
  return place < 0 ? LONGEST.length : place
}
