// Reads vitest's JSON report and prints each failed test and `N passed, N failed, N skipped`; with MILLRACE_FORBID_SKIPS a
// skipped test fails.
import { readFileSync } from "node:fs"
import { relative } from "node:path"

const report = JSON.parse(readFileSync(process.argv[2], "utf8"))
const tests = report.testResults.flatMap((file) => file.assertionResults)
const count = (status) => tests.filter((test) => test.status === status).length

const skipped = tests.filter((test) => !["passed", "failed"].includes(test.status))
for (const { fullName } of skipped) console.error(`skipped: ${fullName}`)

// A file that could not be loaded has no tests to count, and is a failure all the same.
const broken = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0)
for (const { name } of broken) console.error(`could not be run: ${name}`)

// On standard output beside the count: the end of a long log tells what failed.
for (const { name, assertionResults } of report.testResults)
  for (const { fullName, status, failureMessages } of assertionResults)
    if (status === "failed")
      console.log(`failed: ${fullName} (${relative(".", name)})\n  ${firstLines(failureMessages)}`)

const failed = count("failed") + broken.length
console.log(`${count("passed")} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}`)

const forbidden = process.env.MILLRACE_FORBID_SKIPS && skipped.length > 0
if (forbidden) console.error("skipped tests are not allowed here: install what they need")
if (failed > 0 || forbidden || tests.length === 0) process.exitCode = 1

function firstLines(messages) {
  return messages.join("\n").split("\n").slice(0, 12).join("\n  ")
}
