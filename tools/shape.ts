// The shape of the sources: how long functions are, how many parameters and exports there are, how full folders are.
import { dirname } from "node:path"
import ts from "typescript"
import { isTest, list, read } from "./files.ts"

export interface Shape {
  /** Each offender as `path:line name (how many)`. */
  readonly longFunctions: readonly string[]
  readonly manyParameters: readonly string[]
  readonly manyExports: readonly string[]
  readonly fullFolders: readonly string[]
}

/** A component is markup for the most part, and may be longer. */
export const LIMITS = { lines: 40, componentLines: 120, parameters: 3, exports: 12, files: 25 } as const

const ROOMS = ["engine/src", "guard/src", "sdks/typescript/src", "dashboard/src", "conformance/src", "tools"]

export function readShape(): Shape {
  const paths = ROOMS.flatMap((room) => list(room, (path) => /\.(tsx?|sql)$/.test(path) && !isTest(path)))
  const files = paths
    .filter((path) => !path.endsWith(".sql"))
    .map(parse)
    .filter((file) => !isGenerated(file))
  return {
    longFunctions: files.flatMap(longFunctionsOf),
    manyParameters: files.flatMap(manyParametersOf),
    manyExports: files.flatMap(manyExportsOf),
    fullFolders: fullFoldersOf(paths),
  }
}

const parse = (path: string): ts.SourceFile =>
  ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX)

const isGenerated = (file: ts.SourceFile): boolean => /^\/\/.*\bgenerated\b/i.test(file.text)

function longFunctionsOf(file: ts.SourceFile): string[] {
  const most = file.fileName.endsWith(".tsx") ? LIMITS.componentLines : LIMITS.lines
  return functionsIn(file).flatMap((node) => {
    const lines = lineOf(file, node.end) - lineOf(file, node.getStart(file)) + 1
    return lines > most ? [`${place(file, node)} (${lines})`] : []
  })
}

function manyParametersOf(file: ts.SourceFile): string[] {
  return functionsIn(file).flatMap((node) =>
    node.parameters.length > LIMITS.parameters ? [`${place(file, node)} (${node.parameters.length})`] : [],
  )
}

/** A front door, `index.ts`, has as many as the package offers. */
function manyExportsOf(file: ts.SourceFile): string[] {
  const count = file.statements.reduce((sum, statement) => sum + exportsOf(statement), 0)
  return count > LIMITS.exports && !file.fileName.endsWith("/index.ts") ? [`${file.fileName} (${count})`] : []
}

function fullFoldersOf(paths: readonly string[]): string[] {
  const files = new Map<string, number>()
  for (const path of paths) files.set(dirname(path), (files.get(dirname(path)) ?? 0) + 1)
  return [...files].filter(([, count]) => count > LIMITS.files).map(([folder, count]) => `${folder} (${count})`)
}

function exportsOf(statement: ts.Statement): number {
  if (ts.isExportDeclaration(statement))
    return statement.exportClause && ts.isNamedExports(statement.exportClause)
      ? statement.exportClause.elements.length
      : 1
  const flags = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined
  if (!flags?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return 0
  return ts.isVariableStatement(statement) ? statement.declarationList.declarations.length : 1
}

type WithBody = ts.FunctionLikeDeclaration & { readonly body: ts.Node }

function functionsIn(file: ts.SourceFile): WithBody[] {
  const found: WithBody[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && "body" in node && node.body) found.push(node as WithBody)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

function place(file: ts.SourceFile, node: WithBody): string {
  const name = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined)
  return `${file.fileName}:${lineOf(file, node.getStart(file))} ${name?.getText(file) ?? "a function"}`
}

const lineOf = (file: ts.SourceFile, position: number): number => file.getLineAndCharacterOfPosition(position).line + 1
