// What a call failed with; a call that goes well is the failure of its test.
import { expect } from "vitest"

export const failure = (call: Promise<unknown>): Promise<Error> =>
  call.then(
    () => expect.fail("the call should have failed"),
    (error: Error) => error,
  )
