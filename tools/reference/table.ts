// A Markdown table, with what would end a cell taken out of its text.
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n")

/** Every generated page begins with this, so that it is not edited by hand. */
export const page = (title: string, source: string, body: readonly string[]): string =>
  `${[`<!-- Generated from ${source} by \`npm run generate\`. Do not edit. -->`, "", `# ${title}`, ...body.flatMap((part) => ["", part])].join("\n")}\n`

export const code = (text: string): string => (text === "" ? "" : `\`${text}\``)
