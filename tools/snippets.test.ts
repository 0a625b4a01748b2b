// The TypeScript in the documents compiles against the packages as they are built.
import { join } from "node:path"
import ts from "typescript"
import { expect, test } from "vitest"
import { list, read, root } from "./files.ts"

const PAGES = ["sdks/typescript/README.md", "engine/README.md", ...list("docs", (path) => path.endsWith(".md"))]

/** What a reader has already: named in a snippet, and declared elsewhere in a program of his own. */
const SURROUNDINGS = `
import type { EngineClient, Instance, AroundJob as Around, RunnerOptions } from "@millrace/sdk"
import type { Mill } from "millrace"
declare global {
  interface Order { email: string; amount: number; items: { sku: string }[] }
  interface Submission { authenticationMode: string }
  type AroundJob = Around
  const client: EngineClient
  const instance: Instance
  const mill: Mill
  const url: string
  const handlers: RunnerOptions["handlers"]
  const answers: object
  const attachCard: () => Promise<void>
  const chargeCard: () => Promise<{ receipt: string }>
  const session: { readonly id: string }
  ${[
    "bank",
    "mailer",
    "mail",
    "accounts",
    "stock",
    "shipping",
    "report",
    "onboarding",
    "sendEmail",
    "reserve",
    "NodeSDK",
  ]
    .map((name) => `const ${name}: any`)
    .join("\n  ")}
  ${["Submission", "validatePayload", "checkout"].map((name) => `const ${name}: any`).join("\n  ")}
}
export {}
`

/** Of a snippet that shows no import of ours. */
const IMPORTS = `import { EngineClient, Runner } from "@millrace/sdk"
import { downstream, job, type JobCall, millrace, step, workflow } from "millrace"
`

const withImports = (text: string): string =>
  /from "(@millrace\/sdk|millrace)"/.test(text) ? text : `${IMPORTS}${text}`

/** The snippets of a page; those of the page on tests go on with what the first of them declares. */
const snippets = PAGES.flatMap((page) => {
  const blocks = [...read(page).matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text = ""]) => text)
  const joined = page.endsWith("testing.md") && blocks.length > 0 ? [blocks.join("\n")] : blocks
  return joined.map((text, at) => ({ file: join(root, "tools", `${page.replaceAll(/\W/g, "-")}-${at + 1}.ts`), text }))
})

function compile(): readonly ts.Diagnostic[] {
  const surroundings = join(root, "tools/surroundings.ts")
  const texts = new Map([
    [surroundings, SURROUNDINGS],
    ...snippets.map(({ file, text }) => [file, `${withImports(text)}\nexport {}\n`] as const),
  ])
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    types: ["node"],
  }
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (file) => texts.has(file) || fileExists(file)
  host.readFile = (file) => texts.get(file) ?? readFile(file)
  host.getSourceFile = (file, ...rest) => {
    const text = texts.get(file)
    return text === undefined ? getSourceFile(file, ...rest) : ts.createSourceFile(file, text, rest[0])
  }
  const program = ts.createProgram([...texts.keys()], options, host)
  return [...texts.keys()].flatMap((file) => ts.getPreEmitDiagnostics(program, program.getSourceFile(file)))
}

test("the TypeScript of every document compiles", () => {
  expect(snippets.length).toBeGreaterThan(15)
  const faults = compile().map(({ file, start = 0, messageText }) => {
    const line = file?.getLineAndCharacterOfPosition(start).line ?? 0
    return `${file?.fileName.slice(join(root, "tools/").length)}:${line + 1} ${ts.flattenDiagnosticMessageText(messageText, " ")}`
  })
  expect(faults).toEqual([])
})
