// A page of a list: what is on it, the cursor of the next one, and a way through all that follow.
import { badRequest } from "../../support/errors.ts"
import { inCatalogue } from "../running/catalogue-errors.ts"

/** Where a list begins, and how much of it is asked for at a time. */
export interface PageOptions {
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined
  /** 20, and 200 at most. */
  readonly pageSize?: number | undefined
}

export const OF_A_PAGE = ["cursor", "pageSize"]

interface Found<Item> {
  readonly items: readonly Item[]
  readonly nextCursor?: string
}

type Read<Item> = (cursor: string | undefined) => Promise<Found<Item>>

const PAGE = 20
const MOST = 200

/** `for await (const item of await list(…))` goes through this page and all that follow it; each is read when it is come to. */
export class Page<Item> implements AsyncIterable<Item> {
  readonly items: readonly Item[]
  /** Undefined on the last page. A page may have few items, or none, and still not be the last. */
  readonly nextCursor: string | undefined
  readonly #read: Read<Item>

  private constructor({ items, nextCursor }: Found<Item>, read: Read<Item>) {
    this.items = items
    this.nextCursor = nextCursor
    this.#read = read
  }

  static async read<Item>(
    { cursor, pageSize = PAGE }: PageOptions,
    read: (cursor: string | undefined, pageSize: number) => Promise<Found<Item>>,
  ): Promise<Page<Item>> {
    if (!(Number.isInteger(pageSize) && pageSize >= 1 && pageSize <= MOST))
      throw badRequest(`pageSize must be a whole number from 1 to ${MOST}`)
    const readNext = (from: string | undefined) => inCatalogue(read(from, pageSize))
    return new Page(await readNext(cursor), readNext)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let found: Found<Item> = { items: this.items, ...(this.nextCursor ? { nextCursor: this.nextCursor } : {}) }
    for (;;) {
      yield* found.items
      if (found.nextCursor === undefined) return
      found = await this.#read(found.nextCursor)
    }
  }
}
