// The API documentation of the package is its doc comments, which editors show: every export has one.
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { expect, test } from "vitest"

const file = fileURLToPath(new URL("index.ts", import.meta.url))

/** These are made from contracts/openapi.yaml and have the words that it has. */
const isGenerated = (symbol: ts.Symbol): boolean =>
  symbol.declarations?.every((one) => one.getSourceFile().fileName.includes("/generated/")) ?? false

function undocumented(): string[] {
  const program = ts.createProgram([file], {
    allowImportingTsExtensions: true,
    noEmit: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    types: ["node"],
  })
  const checker = program.getTypeChecker()
  const entry = checker.getSymbolAtLocation(program.getSourceFile(file)!)!
  return checker
    .getExportsOfModule(entry)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
    .filter((symbol) => !isGenerated(symbol) && symbol.getDocumentationComment(checker).length === 0)
    .map(({ name }) => name)
}

test("every export of the SDK has a doc comment", () => {
  expect(undocumented()).toEqual([])
})
