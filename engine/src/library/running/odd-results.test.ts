// Whatever a handler returns, its own job says what became of it, and the jobs that end beside it are not disturbed.
import { afterAll, beforeAll, expect, test } from "vitest"
import { job } from "../../index.ts"
import { type Mills, openMills } from "../../test-support/mills.ts"

let mills: Mills
beforeAll(async () => {
  mills = await openMills()
})
afterAll(() => mills.close())

function circle(): object {
  const self: { self?: object } = {}
  self.self = self
  return self
}

function explode(): never {
  throw new Error("not to be read")
}

function saying(thrown: unknown): object {
  return {
    toJSON: () => {
      throw thrown
    },
  }
}

const NOT_WRITTEN = "what a handler returns cannot be written as JSON: "
const RETURNED: Readonly<Record<string, readonly [() => unknown, string]>> = {
  circle: [circle, `${NOT_WRITTEN}self is a circle; send the id of what it leads back to`],
  bigint: [() => ({ n: 1n }), `${NOT_WRITTEN}n is a bigint; send String(n)`],
  error: [() => saying(new Error("not now")), `${NOT_WRITTEN}not now`],
  nothing: [() => saying(undefined), `${NOT_WRITTEN}undefined`],
  refusing: [
    () => saying(Object.defineProperty(new Error(), "message", { get: explode })),
    `${NOT_WRITTEN}what was thrown cannot be read`,
  ],
}

const stateOf = async (id: string) =>
  (await mills.tables.script(`select status, error from millrace_views.jobs where id = '${id}'`))[0]

test.each(Object.entries(RETURNED))(
  "a job that returns %s has failed for good, and those beside it have not",
  async (name, [returned, words]) => {
    // All of them end in one turn of the event loop, and are reported as one list.
    let begun = 0
    let open = () => {}
    const all = new Promise<void>((resolve) => (open = resolve))
    const together = async <T>(result: T): Promise<T> => {
      begun += 1
      if (begun === 5) open()
      await all
      return result
    }
    const odd = job(`odd-${name}`, () => together(returned() as never), { retries: 3 })
    const plain = job(`plain-${name}`, ({ payload }: { payload: { n: number } }) => together({ n: payload.n }))
    const ids = await Promise.all([0, 1, 2, 3].map(async (n) => (await mills.mill.enqueue(plain, { n })).id))
    const { id } = await mills.mill.enqueue(odd, {})
    await mills.mill.drain([odd, plain], { concurrency: 5 })
    expect(await stateOf(id)).toEqual({ status: "FAILED", error: words })
    for (const each of ids) expect(await stateOf(each)).toEqual({ status: "COMPLETED", error: null })
  },
)
