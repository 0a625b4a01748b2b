// Ratchets: what there is too much of may become less, never more. When it has become less, the number here follows.
import { expect, test } from "vitest"
import { LIMITS, readShape, type Shape } from "./shape.ts"

const shape = readShape()

test.each<[string, keyof Shape, number]>([
  [`functions of more than ${LIMITS.lines} lines`, "longFunctions", 3],
  [`functions of more than ${LIMITS.parameters} parameters`, "manyParameters", 108],
  [`files of more than ${LIMITS.exports} exports`, "manyExports", 20],
  [`folders of more than ${LIMITS.files} files with the SQL, tests not counted`, "fullFolders", 1],
])("%s: no more than there were", (what, rule, most) => {
  const found = shape[rule]
  expect(found.length, `${what}:\n${found.join("\n")}`).toBeLessThanOrEqual(most)
  if (found.length < most) console.info(`${what}: ${found.length} are left, so lower the number from ${most}`)
})
