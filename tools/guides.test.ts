// The JSON in the guides is what the engine accepts.
import { expect, test } from "vitest"
import { parseDefinition } from "../engine/src/model/definitions/parse-definition.ts"
import { list, read } from "./files.ts"

const blocks = list("docs/guides", (path) => path.endsWith(".md")).flatMap((path) =>
  [...read(path).matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = ""]) => [path, text] as const),
)

test.each(blocks)("a definition in %s is accepted", (_path, text) => {
  expect(parseDefinition(JSON.parse(text))).not.toHaveProperty("violations")
})
