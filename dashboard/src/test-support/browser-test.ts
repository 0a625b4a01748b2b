// `test` for what needs a browser: skipped by name unless MILLRACE_FULL_TESTS asks for what Debian's packages are needed for.
import { test as plainTest } from "vitest"

export const test = process.env.MILLRACE_FULL_TESTS ? plainTest : plainTest.skip
