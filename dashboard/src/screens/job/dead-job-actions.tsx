// The way on from a job that is dead: its dead letter, and a replay that leads to the new job.
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { DEAD_LETTERS, deadLetterQuery } from "../../api/dead-letters.ts"
import type { Job } from "../../api/jobs.ts"
import { queryClient } from "../../api/query-client.ts"
import { useMay } from "../../api/session.ts"
import { LinkButton } from "../../kit/button.tsx"
import { LetterActions, type Replayed } from "../dead-letters/letter-actions.tsx"

export function DeadJobActions({ job }: { readonly job: Job }) {
  // Gone once it was replayed or discarded: then there is nothing to do.
  const { data: letter } = useQuery({ ...deadLetterQuery(job.id), refetchInterval: false })
  const mayWrite = useMay("jobs:write")
  const navigate = useNavigate()
  if (!letter) return null
  const onReplayed = async ({ jobId }: Replayed) => {
    void queryClient.invalidateQueries({ queryKey: DEAD_LETTERS })
    queryClient.removeQueries({ queryKey: deadLetterQuery(job.id).queryKey })
    if (jobId !== undefined) await navigate({ to: "/jobs/$jobId", params: { jobId } })
  }
  return (
    <>
      <LinkButton to="/dead-letters" search={{ type: job.type, letter: job.id }}>
        Open the dead letter
      </LinkButton>
      {mayWrite && <LetterActions letter={letter} onReplayed={(replayed) => void onReplayed(replayed)} />}
    </>
  )
}
