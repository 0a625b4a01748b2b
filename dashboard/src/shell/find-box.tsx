// Paste an id, of an instance or a job, and be there. The name of a definition or of a job type, or a business key, works too.
import { useNavigate } from "@tanstack/react-router"
import { type FormEvent, useRef, useState } from "react"
import { ApiError, get } from "../api/http.ts"
import { jobTypesQuery } from "../api/job-types.ts"
import { useKeys } from "../kit/keys.ts"

const INSTANCE = /^[0-9A-HJKMNP-TV-Z]{26}$/
const STEP_JOB = /^([0-9A-HJKMNP-TV-Z]{26})[^0-9A-Za-z].+$/

export function FindBox() {
  const [text, setText] = useState("")
  const [note, setNote] = useState("")
  const box = useRef<HTMLInputElement>(null)
  const navigate = useNavigate()
  useKeys({ "/": () => box.current?.focus() })

  const find = async (event: FormEvent) => {
    event.preventDefault()
    const wanted = text.trim()
    if (wanted === "") return
    setNote("")
    const instanceId = STEP_JOB.exec(wanted)?.[1] ?? wanted
    if (INSTANCE.test(instanceId)) {
      if (await exists(`/v1/instances/${instanceId}`))
        await navigate({ to: "/instances/$instanceId", params: { instanceId } })
      else if (await exists(`/jobs/${instanceId}`))
        await navigate({ to: "/jobs/$jobId", params: { jobId: instanceId } })
      else return setNote("No instance or job has this id.")
    } else if (await exists(`/v1/definitions/${encodeURIComponent(wanted)}`)) {
      await navigate({ to: "/definitions/$definitionId", params: { definitionId: wanted } })
    } else if (await isJobType(wanted)) {
      await navigate({ to: "/jobs", search: { jobType: wanted } })
    } else await navigate({ to: "/instances", search: { businessKey: wanted } })
    setText("")
  }
  return (
    <search>
      <form onSubmit={(event) => void find(event).catch((error: Error) => setNote(error.message))}>
        <input
          ref={box}
          type="search"
          aria-label="Find by id or business key"
          placeholder="Find an id or key  /"
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="border-line bg-ground w-full rounded-md border px-2.5 py-1.5"
        />
        <p role="status" className="text-warn px-1 text-xs">
          {note}
        </p>
      </form>
    </search>
  )
}

/** A key that may not see jobs finds the rest all the same. */
const isJobType = (name: string): Promise<boolean> =>
  jobTypesQuery.queryFn().then(
    (types) => types.some((type) => type.name === name),
    (error) => {
      if (error instanceof ApiError && error.status === 403) return false
      throw error
    },
  )

const exists = (path: string): Promise<boolean> =>
  get(path).then(
    () => true,
    (error) => {
      if (error instanceof ApiError && (error.status === 404 || error.status === 400)) return false
      throw error
    },
  )
