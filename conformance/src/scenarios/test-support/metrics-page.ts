// A scraped page of Prometheus' text format: look a series up, or add up all series of a name.

type Labels = Readonly<Record<string, string | number>>

export class MetricsPage {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** The kind of a metric, undefined when the page does not have it. */
  kind(name: string): string | undefined {
    return new RegExp(`^# TYPE ${name} (\\w+)$`, "m").exec(this.text)?.[1]
  }

  /** The sum over every series of this name that has these labels; 0 when there is none. */
  value(name: string, labels: Labels = {}): number {
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
    const lines = this.text.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    return lines
      .filter((line) => wanted.every((label) => line.includes(label)))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0)
  }
}
