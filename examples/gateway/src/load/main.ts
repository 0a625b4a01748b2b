// `npm run load`: 200 visitors in front of a gateway for a minute, and a table of what came of it.
import { parseArgs } from "node:util"
import { openStage } from "../stage.ts"
import { runScene } from "./run-scene.ts"
import type { Line } from "./tally.ts"

const { values } = parseArgs({
  options: {
    users: { type: "string", default: "200" },
    "per-second": { type: "string", default: "20" },
    seconds: { type: "string", default: "60" },
  },
})
const [users, perSecond, seconds] = [values.users, values["per-second"], values.seconds].map(Number) as [
  number,
  number,
  number,
]
const stage = await openStage()
const beginning = new AbortController()
const say = (text: string) => {
  console.log(text)
  if (text.startsWith("the scene begins")) setTimeout(() => beginning.abort(), seconds * 1_000)
}
const tally = await runScene({ url: stage.gatewayUrl, users, perSecond, over: beginning.signal, say }).finally(
  stage.close,
)
const lines = tally.lines()
console.log(["", ...lines.map(row)].join("\n"))
if (tally.warning) console.log(`\n${tally.warning}`)
process.exitCode = lines.every(({ isGood }) => isGood) ? 0 : 1

function row({ what, measured, allowed, isGood }: Line): string {
  return `${isGood ? "good" : "MISS"}  ${what.padEnd(38)} ${measured.padEnd(28)} ${allowed}`
}
