// One dead letter, beside the list: why it died, what it carried, where it came from, and what can be done to it.
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useEffect, useId, useRef, useState } from "react"
import { type DeadLetterDetail, deadLetterQuery } from "../../api/dead-letters.ts"
import { ApiError } from "../../api/http.ts"
import { useScopes } from "../../api/session.ts"
import { Button } from "../../kit/button.tsx"
import { useKeys } from "../../kit/keys.ts"
import { ErrorNote, Loading } from "../../kit/states.tsx"
import { LetterActions, type Replayed } from "./letter-actions.tsx"
import { LetterFacts } from "./letter-facts.tsx"

interface Props {
  readonly id: string
  readonly onChanged: () => void
  readonly onClose: () => void
}

const isGone = (error: unknown): boolean => error instanceof ApiError && error.status === 404

/** Stays while one looks at one after the other. */
export function LetterPanel({ id, onChanged, onClose }: Props) {
  const titleId = useId()
  const title = useFocus(id)
  useKeys({ Escape: onClose })
  return (
    <section
      aria-labelledby={titleId}
      className="border-line bg-surface fixed inset-y-0 right-0 z-30 flex w-full flex-col gap-4 overflow-y-auto border-l p-5 sm:w-[31rem] max-xl:shadow-xl"
    >
      <header className="flex items-start justify-between gap-3">
        <h2 id={titleId} ref={title} tabIndex={-1} className="text-lg font-semibold outline-none">
          Dead letter
        </h2>
        <Button look="quiet" aria-label="Close" title="Close (Esc)" className="-mt-1 -mr-2" onClick={onClose}>
          ✕
        </Button>
      </header>
      <Letter key={id} id={id} onChanged={onChanged} onClose={onClose} />
    </section>
  )
}

function Letter({ id, onChanged, onClose }: Props) {
  const [replayed, setReplayed] = useState<Replayed>()
  // What died does not change: it can only go away, which is seen when something is done to it.
  const query = { ...deadLetterQuery(id), enabled: !replayed, refetchInterval: false as const }
  const { data, error, isPlaceholderData } = useQuery(query)
  const may = useScopes()
  const onReplayed = (done: Replayed) => {
    setReplayed(done)
    onChanged()
  }
  const onDiscarded = () => {
    onChanged()
    onClose()
  }
  return (
    <>
      {replayed && <Replay of={replayed} />}
      {isGone(error) ? <Gone /> : <ErrorNote error={error} />}
      {!data && !error && <Loading />}
      {data && mayChange(may, data) && !replayed && (
        <LetterActions letter={data} onReplayed={onReplayed} onDiscarded={onDiscarded} />
      )}
      {data && <LetterFacts letter={data} isPart={isPlaceholderData} />}
    </>
  )
}

/** The letter of a step is its instance's. */
const mayChange = (may: (scope: string) => boolean, { source }: { readonly source: "job" | "step" }): boolean =>
  may("jobs:write") && (source === "job" || may("instances:write"))

/** The focus moves to its title when it opens, and is back at the row of the last one when it closes. */
function useFocus(id: string) {
  const title = useRef<HTMLHeadingElement>(null)
  const row = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another letter is another row.
  useEffect(() => {
    row.current = document.querySelector<HTMLElement>("[data-row][aria-current]")
  }, [id])
  useEffect(() => {
    title.current?.focus()
    return () => row.current?.focus()
  }, [])
  return title
}

const Gone = () => (
  <p role="status" className="bg-warn-soft text-warn rounded-md px-3 py-2">
    It is not here any more: it was replayed or discarded.
  </p>
)

function Replay({ of: { letter, jobId } }: { readonly of: Replayed }) {
  return (
    <p role="status" className="bg-good-soft text-good rounded-md px-3 py-2">
      {letter.source === "job" ? "It went back to its queue. " : "Its step is retried. "}
      <ReplayLink letter={letter} jobId={jobId} />
    </p>
  )
}

function ReplayLink({ letter, jobId }: { readonly letter: DeadLetterDetail; readonly jobId: string | undefined }) {
  if (letter.instance_id !== undefined)
    return (
      <Link to="/instances/$instanceId" params={{ instanceId: letter.instance_id }} search={{ step: letter.step_id }}>
        See the instance
      </Link>
    )
  if (jobId === undefined) return null
  return (
    <Link to="/jobs/$jobId" params={{ jobId }}>
      See the new job {jobId}
    </Link>
  )
}
