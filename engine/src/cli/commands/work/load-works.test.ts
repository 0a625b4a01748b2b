// Which modules `millrace work` takes, and what it finds in them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { loadWorks } from "./load-works.ts"

let project: string
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "millrace-works-"))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

const job = (name: string) => `{ kind: "job", name: "${name}", run() {}, defaults: {} }`
const flow = (name: string) => `{ kind: "list", name: "${name}", elements: [], toDefinition() {} }`
const files = {
  "package.json": "{}",
  "named.mjs": `export const a = ${job("a")}; export const b = ${flow("b")}; export const alias = a; export const n = 1`,
  "default.mjs": `export default [${job("c")}, ${flow("d")}]; export const more = ${job("e")}`,
  "common.cjs": `exports.f = ${job("f")}; module.exports = { ...exports, g: ${flow("g")} }`,
  "folder/index.js": `module.exports = [${job("h")}]`,
  "empty.mjs": `export const list = { kind: "list", name: "x" }; export default null`,
  "broken.mjs": `throw new Error("no database here: postgres://u:canary@h/db")`,
  "refused.mjs": `throw Object.assign(new Error("the name is not one"), { name: "EngineError" })`,
  "unlinked.mjs": `import { job } from "millrace"; export default job`,
  "unlinked.cjs": `require("millrace")`,
  "lost.mjs": `import "left-behind"`,
  "node_modules/both/package.json": `{ "main": "main.cjs" }`,
  "node_modules/both/main.cjs": `exports.i = ${job("i")}`,
  "node_modules/@acme/flows/package.json": `{ "exports": { ".": { "types": "./x.d.ts", "import": { "default": "./flows.mjs" } } } }`,
  "node_modules/@acme/flows/flows.mjs": `export const j = ${job("j")}`,
}

test.each<[string, string, string[]]>([
  ["named exports, each once", "./named.mjs", ["a", "b"]],
  ["a path without a dot", "named.mjs", ["a", "b"]],
  ["an array by default, and what is beside it", "./default.mjs", ["c", "d", "e"]],
  ["a CommonJS module", "./common.cjs", ["f", "g"]],
  ["a folder with an index", "./folder", ["h"]],
  ["a package", "both", ["i"]],
  ["a package that can only be imported", "@acme/flows", ["j"]],
])("%s", async (_, module, names) => {
  const works = await loadWorks(module, project)
  expect(works.map(({ name }) => name).sort()).toEqual(names)
})

test.each<[string, string, number, RegExp]>([
  ["a module that is not there", "./nowhere.js", 2, /^there is no module \.\/nowhere\.js: give a path/],
  ["a package that is not there", "nowhere", 2, /^there is no module nowhere/],
  ["a module with nothing to work on", "./empty.mjs", 2, /^\.\/empty\.mjs exports no workflow and no job/],
  [
    "one without millrace beside it",
    "./unlinked.mjs",
    1,
    /imports millrace, .*`npm pack .*\n.*`npm install`[^\n]*within the clone$/,
  ],
  [
    "a CommonJS one, too",
    "./unlinked.cjs",
    1,
    /imports millrace, .*`npm pack .*\n.*`npm install`[^\n]*within the clone$/,
  ],
  [
    "one without something else",
    "./lost.mjs",
    1,
    /cannot be loaded: it imports left-behind, which is not there[^\n]*$/,
  ],
  ["a workflow that is refused", "./refused.mjs", 1, /^\.\/refused\.mjs cannot be loaded: the name is not one$/],
  ["a module that throws", "./broken.mjs", 1, /^\.\/broken\.mjs cannot be loaded: Error: no database here: .*\*{4}@h/],
])("%s is told in words", async (_, module, exitCode, message) => {
  await expect(loadWorks(module, project)).rejects.toMatchObject({ exitCode, message: expect.stringMatching(message) })
})
