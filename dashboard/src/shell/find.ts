// Where what was typed into the find box leads: an instance or a job by its id, a definition or a job type by its name, else a business key.
import { ApiError, get } from "../api/http.ts"
import { jobTypesQuery } from "../api/job-types.ts"

const INSTANCE = /^[0-9A-HJKMNP-TV-Z]{26}$/
const STEP_JOB = /^([0-9A-HJKMNP-TV-Z]{26})[^0-9A-Za-z].+$/

/** Undefined where an id is of nothing. */
export async function placeOf(wanted: string) {
  const id = STEP_JOB.exec(wanted)?.[1] ?? wanted
  if (INSTANCE.test(id)) return placeOfId(id)
  if (await exists(`/v1/definitions/${encodeURIComponent(wanted)}`)) return definitionPlace(wanted)
  if (await isJobType(wanted)) return jobTypePlace(wanted)
  return { to: "/instances", search: { businessKey: wanted } } as const
}

export const definitionPlace = (definitionId: string) =>
  ({ to: "/definitions/$definitionId", params: { definitionId } }) as const

export const jobTypePlace = (jobType: string) => ({ to: "/jobs", search: { jobType } }) as const

async function placeOfId(id: string) {
  if (await exists(`/v1/instances/${id}`)) return { to: "/instances/$instanceId", params: { instanceId: id } } as const
  if (await exists(`/jobs/${id}`)) return { to: "/jobs/$jobId", params: { jobId: id } } as const
  return undefined
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
