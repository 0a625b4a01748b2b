// A list that a test can wait on.

export class Tally<T> {
  readonly items: T[] = []
  #watchers: { readonly count: number; readonly wake: () => void }[] = []

  add(item: T): void {
    this.items.push(item)
    for (const { count, wake } of this.#watchers) if (this.items.length >= count) wake()
  }

  /** Resolves with the items when there are `count` of them. */
  reach(count: number): Promise<readonly T[]> {
    return new Promise((resolve) => {
      const wake = () => resolve(this.items)
      this.#watchers.push({ count, wake })
      if (this.items.length >= count) wake()
    })
  }
}
