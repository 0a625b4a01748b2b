// Counters and histograms in Prometheus' text format, just enough for five metrics.

type Labels = Readonly<Record<string, string>>

export interface Metric {
  render(): string
}

export class Counter implements Metric {
  readonly #head: string
  readonly #name: string
  readonly #values = new Map<string, number>()

  constructor(name: string, help: string, options: { readonly startsAtZero?: boolean } = {}) {
    this.#name = name
    this.#head = head(name, help, "counter")
    if (options.startsAtZero) this.#values.set("", 0)
  }

  add(labels: Labels = {}): void {
    const series = seriesOf(labels)
    this.#values.set(series, (this.#values.get(series) ?? 0) + 1)
  }

  render(): string {
    const lines = [...this.#values].map(([series, value]) => `${this.#name}${braced(series)} ${value}\n`)
    return this.#head + lines.join("")
  }
}

interface Distribution {
  readonly counts: number[]
  sum: number
  count: number
}

export class Histogram implements Metric {
  readonly #head: string
  readonly #name: string
  readonly #bounds: readonly number[]
  readonly #series = new Map<string, Distribution>()

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name
    this.#head = head(name, help, "histogram")
    this.#bounds = bounds
  }

  observe(value: number, labels: Labels = {}): void {
    const distribution = this.#distribution(seriesOf(labels))
    const bucket = this.#bounds.findIndex((bound) => value <= bound)
    if (bucket >= 0) distribution.counts[bucket]! += 1
    distribution.sum += value
    distribution.count += 1
  }

  render(): string {
    return this.#head + [...this.#series].map(([series, of]) => this.#renderSeries(series, of)).join("")
  }

  #distribution(series: string): Distribution {
    const known = this.#series.get(series)
    if (known) return known
    const fresh = { counts: this.#bounds.map(() => 0), sum: 0, count: 0 }
    this.#series.set(series, fresh)
    return fresh
  }

  #renderSeries(series: string, { counts, sum, count }: Distribution): string {
    const bucket = (le: string, value: number) => `${this.#name}_bucket${braced(join(series, `le="${le}"`))} ${value}\n`
    const upTo = (i: number) => counts.slice(0, i + 1).reduce((sum, n) => sum + n, 0)
    const buckets = this.#bounds.map((bound, i) => bucket(String(bound), upTo(i)))
    const total = `${this.#name}_sum${braced(series)} ${sum}\n${this.#name}_count${braced(series)} ${count}\n`
    return buckets.join("") + bucket("+Inf", count) + total
  }
}

const head = (name: string, help: string, type: string): string => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
const join = (...parts: readonly string[]): string => parts.filter((part) => part !== "").join(",")
const braced = (series: string): string => (series === "" ? "" : `{${series}}`)
const seriesOf = (labels: Labels): string => join(...Object.entries(labels).map(([k, v]) => `${k}="${escaped(v)}"`))
const escaped = (value: string): string => value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
