// The names of all tests, with the ids that they begin with: `S7, F38: a token of the right epoch with other bits is stale`.
import ts from "typescript"
import { list, read, readJson } from "../files.ts"

export interface NamedTest {
  readonly path: string
  readonly ids: readonly string[]
  readonly sentence: string
}

const ID = "[A-Z]{1,4}(?:-?[A-Z]{0,2}\\d+)"
const NAME = new RegExp(`^(${ID}(?:,? ${ID})*): (.+)$`, "s")

/** Tests in the order of their paths, then scenarios of the conformance suite. */
export const namedTests = (): NamedTest[] => [
  ...list(".", (path) => /\.test\.(ts|mjs)$/.test(path)).flatMap((path) => testsIn(path, read(path))),
  ...list("conformance/scenarios", (path) => path.endsWith(".json")).flatMap(scenarioOf),
]

/** Names in lists (`test.each`) count as well. What a test expects to be told does not, nor does the name of a property: a sample. */
export function testsIn(path: string, text: string): NamedTest[] {
  const found: NamedTest[] = []
  const visit = (node: ts.Node): void => {
    if (isExpectation(node)) return
    const name = nameOf(node)
    const [, ids, sentence] = NAME.exec(name ?? "") ?? []
    if (ids && sentence) found.push({ path, ids: ids.split(/,? /), sentence: sentence.replaceAll(/%\w|\$\w+/g, "…") })
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  return found
}

const isExpectation = (node: ts.Node): boolean =>
  ts.isCallExpression(node) &&
  ((ts.isIdentifier(node.expression) && node.expression.text === "expect") ||
    (ts.isPropertyAccessExpression(node.expression) && isExpectation(node.expression.expression)))

/** A sentence as it stands, or one whose ids are a list before it: `proves(["S4"], "an end is an end", …)`. */
function nameOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return ts.isPropertyAssignment(node.parent) ? undefined : node.text
  if (ts.isTemplateExpression(node)) return `${node.head.text}…`
  if (!ts.isCallExpression(node)) return undefined
  const [ids, sentence] = node.arguments
  if (!(ids && sentence && ts.isArrayLiteralExpression(ids) && ts.isStringLiteral(sentence))) return undefined
  return `${ids.elements.map((id) => (ts.isStringLiteral(id) ? id.text : "")).join(", ")}: ${sentence.text}`
}

function scenarioOf(path: string): NamedTest[] {
  const { title, proves = [] } = readJson<{ title: string; proves?: string[] }>(path)
  return [{ path, ids: proves, sentence: title }]
}
