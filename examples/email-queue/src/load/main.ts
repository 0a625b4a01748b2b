// `npm run load`: three classes of users submit, look and ask for metrics; prints what they saw.
import { parseArgs } from "node:util"
import { runLoad } from "./run-load.ts"

const { values } = parseArgs({
  options: {
    users: { type: "string", default: "50" },
    seconds: { type: "string", default: "20" },
    workers: { type: "string", default: "4" },
  },
})
const { MILLRACE_URL: url = "http://127.0.0.1:8080", MILLRACE_API_KEY: apiKey } = process.env
const [users, seconds, workers] = [Number(values.users), Number(values.seconds), Number(values.workers)]

console.log(`${users} users on ${url} for ${seconds} s, ${workers} workers`)
const tally = await runLoad({ url, apiKey, users, seconds, workers })
console.log(tally.lines(seconds).join("\n"))
process.exitCode = tally.faults === 0 ? 0 : 1
