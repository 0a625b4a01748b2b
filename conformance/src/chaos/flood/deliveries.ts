// Every delivery that a worker has worked on, in columns: a million of them take 50 MB.

export const VERDICTS = { none: 0, accepted: 1, stale: 2, unknown: 3 } as const
export type Verdict = keyof typeof VERDICTS
const NAMES = Object.keys(VERDICTS) as readonly Verdict[]

export interface Delivery {
  readonly epoch: number
  /** The first 32 bits of the token's secret. */
  readonly secret: number
  /** When its worker asked for it, when it had it, and until when it was leased. */
  readonly askedAt: number
  readonly claimedAt: number
  readonly until: number
  /** When the report that got the verdict was sent. */
  readonly reportedAt: number
  readonly verdict: Verdict
  /** The answer to a report on it was lost. */
  readonly isAmbiguous: boolean
}

const COLUMNS = {
  n: Uint32Array,
  epoch: Uint16Array,
  secret: Uint32Array,
  askedAt: Float64Array,
  claimedAt: Float64Array,
  until: Float64Array,
  reportedAt: Float64Array,
  verdict: Uint8Array,
  isAmbiguous: Uint8Array,
}

type Column = keyof typeof COLUMNS
type Columns = { [Name in Column]: InstanceType<(typeof COLUMNS)[Name]> }

const columnsOf = (rows: number): Columns =>
  Object.fromEntries(Object.entries(COLUMNS).map(([name, Type]) => [name, new Type(rows)])) as unknown as Columns

export class Deliveries {
  #columns = columnsOf(1_024)
  #count = 0
  #sorted: Uint32Array | undefined

  get count(): number {
    return this.#count
  }

  /** Its row. */
  add(n: number, token: string, at: Pick<Delivery, "askedAt" | "claimedAt" | "until">): number {
    if (this.#count === this.#columns.n.length) this.#grow()
    const row = this.#count++
    const { epoch, secret } = readToken(token)
    const { n: numbers, epoch: epochs, secret: secrets, askedAt, claimedAt, until } = this.#columns
    numbers[row] = n
    epochs[row] = epoch
    secrets[row] = secret
    askedAt[row] = at.askedAt
    claimedAt[row] = at.claimedAt
    until[row] = at.until
    this.#sorted = undefined
    return row
  }

  reported(row: number, at: number): void {
    if (this.#columns.verdict[row] === VERDICTS.none) this.#columns.reportedAt[row] = at
  }

  told(row: number, verdict: Verdict): void {
    this.#columns.verdict[row] = VERDICTS[verdict]
  }

  /** The answer to its report was lost. */
  unheard(row: number): void {
    this.#columns.isAmbiguous[row] = 1
  }

  verdictOf(row: number): Verdict {
    return NAMES[this.#columns.verdict[row] as number] as Verdict
  }

  /** The deliveries of one job, by epoch. */
  of(n: number): Delivery[] {
    this.#sorted ??= this.#sort()
    const sorted = this.#sorted
    const found: Delivery[] = []
    for (let at = this.#firstOf(sorted, n); at < sorted.length && this.#columns.n[sorted[at]!] === n; at++)
      found.push(this.#at(sorted[at]!))
    return found
  }

  #at(row: number): Delivery {
    const { epoch, secret, askedAt, claimedAt, until, reportedAt, isAmbiguous } = this.#columns
    return {
      epoch: epoch[row]!,
      secret: secret[row]!,
      askedAt: askedAt[row]!,
      claimedAt: claimedAt[row]!,
      until: until[row]!,
      reportedAt: reportedAt[row]!,
      verdict: this.verdictOf(row),
      isAmbiguous: isAmbiguous[row] === 1,
    }
  }

  #firstOf(sorted: Uint32Array, n: number): number {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#columns.n[sorted[middle]!]! < n) low = middle + 1
      else high = middle
    }
    return low
  }

  #sort(): Uint32Array {
    const { n, epoch, claimedAt } = this.#columns
    return Uint32Array.from({ length: this.#count }, (_, row) => row).sort(
      (a, b) => n[a]! - n[b]! || epoch[a]! - epoch[b]! || claimedAt[a]! - claimedAt[b]!,
    )
  }

  #grow(): void {
    const wider = columnsOf(2 * this.#columns.n.length)
    for (const name of Object.keys(COLUMNS) as Column[]) wider[name].set(this.#columns[name])
    this.#columns = wider
  }
}

/** `<epoch>.<uuid>` */
export function readToken(token: string): { epoch: number; secret: number } {
  const dot = token.indexOf(".")
  return { epoch: Number(token.slice(0, dot)), secret: Number.parseInt(token.slice(dot + 1, dot + 9), 16) }
}
