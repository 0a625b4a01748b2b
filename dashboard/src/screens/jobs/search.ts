// What the address of the list of jobs says: which of them, and where the page begins.

import { LIVE_STATUSES, type LiveJobFilter } from "../../api/live-jobs.ts"
import { PRIORITIES } from "../../api/overview.ts"
import { oneOf, type RawSearch, text } from "../../api/search-text.ts"

export interface JobsSearch extends LiveJobFilter {
  readonly cursor?: string
}

export const readJobsSearch = (search: RawSearch): JobsSearch => ({
  status: oneOf(search, "status", LIVE_STATUSES),
  jobType: text(search, "jobType"),
  priority: oneOf(search, "priority", PRIORITIES),
  cursor: text(search, "cursor"),
})
