// Values that may be there already: a request that no network is needed for costs no turn of the event loop.

export type Awaitable<T> = T | Promise<T>

export const after = <T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> =>
  value instanceof Promise ? value.then(next) : next(value)
