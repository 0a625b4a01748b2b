// What is wrong with definitions in files: a line for each fault, as editors and people find their way by.
import { cellText } from "./cell-text.ts"
import type { Canvas } from "./table.ts"
import { plural } from "./times.ts"

interface Checked {
  readonly file: string
  readonly id?: string
  readonly steps?: number
  readonly violations: readonly {
    readonly path: string
    readonly message: string
    readonly hint?: string
    readonly line: number
    readonly column: number
  }[]
  readonly warnings: readonly string[]
}

export const drawChecks =
  (files: readonly Checked[]) =>
  ({ paint }: Canvas): readonly string[] =>
    files.flatMap(({ file, id, steps, violations, warnings }) => [
      ...violations.map(({ path, message, hint, line, column }) => {
        const place = paint("bold", `${cellText(file)}:${line}:${column}`)
        const where = path === "$" ? "" : `${cellText(path.replace(/^\$\.?/, ""))} `
        return `${place}: ${where}${cellText(message)}${hint === undefined ? "" : paint("dim", ` (${cellText(hint)})`)}`
      }),
      ...(violations.length > 0
        ? [paint("red", `${cellText(file)}: ${plural(violations.length, "violation")}`)]
        : [`${cellText(file)}: ${paint("green", "ok")}, ${cellText(id ?? "")} with ${plural(steps ?? 0, "step")}`]),
      ...warnings.map((warning) => `${paint("yellow", "warning:")} ${cellText(warning)}`),
    ])
