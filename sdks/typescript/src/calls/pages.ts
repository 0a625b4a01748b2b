// Walks a cursor-paged list item by item.

interface Page<T> {
  readonly items: readonly T[]
  readonly nextCursor?: string
}

export async function* followCursor<T>(
  fetchPage: (cursor: { readonly cursor?: string }) => Promise<Page<T>>,
): AsyncGenerator<T, void, undefined> {
  let page = await fetchPage({})
  yield* page.items
  while (page.nextCursor !== undefined) {
    page = await fetchPage({ cursor: page.nextCursor })
    yield* page.items
  }
}
