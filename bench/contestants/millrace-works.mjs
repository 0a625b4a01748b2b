// What `millrace work` runs beside the server in jobs-http: the jobs that the users submit, and nothing to do for each.
import { ENGINE } from "./engine-folder.mjs"

const { job } = await import(new URL("dist/index.js", ENGINE))

export const sendEmail = job("send_email", async () => undefined)
