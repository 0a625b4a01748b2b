// Fields of a step that are not known here.
import { expect, test } from "vitest"
import { document, end, user } from "./fixtures.ts"
import { parseDefinition } from "./parse-definition.ts"

test("C-17: what other engines call a field is answered with its name here", () => {
  const steps = [user("a", { nextStep: "done", candidateGroups: ["credit"] }), end("done")]
  const result = parseDefinition(document(steps))
  expect(result).toEqual({
    violations: [
      {
        path: "$.steps[0].candidateGroups",
        message: "unknown field `candidateGroups`",
        hint: "here it is `assigneeGroup`: one group, as a string",
      },
    ],
  })
})
