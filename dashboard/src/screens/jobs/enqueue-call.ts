// The call that enqueues a job, to copy.

const JOB = JSON.stringify({ type: "send_email", payload: { to: "ada@example.org" } })

export const enqueueCall = (origin: string): string =>
  `curl -X POST ${origin}/jobs \\
  -H 'content-type: application/json' \\
  -d '${JOB}'`
