// For what may be there already: most calls need no turn of the event loop.

/** At once where there is nothing to wait for. */
export const whenDone = <T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> =>
  value instanceof Promise ? value.then(next) : next(value)
