// The worker of the TypeScript cells, a program with the contract every SDK's worker keeps: the engine's address as argument,
// the handlers of every scenario, work until SIGTERM, then drain and exit with 0.
import { EngineClient, Runner } from "@millrace/sdk"
import { scenarios } from "./scenarios.ts"
import { scriptHandlers } from "./script-handlers.ts"

const [url = "", workerId = ""] = process.argv.slice(2)
const handlers = scriptHandlers(Object.assign({}, ...scenarios.map((scenario) => scenario.handlers)))
const client = new EngineClient({ url })
const { drained } = await new Runner({ client, handlers, workerId, stopOn: ["SIGTERM"] }).run()
client.close()
process.exitCode = drained ? 0 : 1
