// The last lines of a test run: how many tests were skipped in which file, and how they are run.
export default class SkipReport {
  onTestRunEnd(modules) {
    const skipped = modules
      .map(({ relativeModuleId, children }) => ({ relativeModuleId, count: [...children.allTests("skipped")].length }))
      .filter(({ count }) => count > 0)
    if (skipped.length === 0) return
    console.log(
      "Skipped, because they take long or need a browser, Debian packages or Kafka (MILLRACE_FULL_TESTS=1 runs them, as .ci/run does):",
    )
    for (const { relativeModuleId, count } of skipped)
      console.log(`  ${String(count).padStart(4)}  ${relativeModuleId}`)
  }
}
