// A one-shot processor of workflow steps whose process dies in the middle of one. Its arguments are the database and the job types.
import { type JobCall, job, millrace } from "../index.ts"

const [, , database, ...jobTypes] = process.argv

function handle({ payload, key }: JobCall<{ dies?: string }>) {
  if (payload.dies && key.endsWith(payload.dies)) process.kill(process.pid, "SIGKILL")
}

if (database?.startsWith("postgres")) {
  const mill = await millrace({ database, logLevel: "silent" })
  await mill.drain(jobTypes.map((jobType) => job(jobType, handle)))
  await mill.stop()
}
