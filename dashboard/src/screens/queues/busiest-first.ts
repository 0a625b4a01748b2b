// The order of the job types: most at hand first, then by name.
import type { JobType } from "../../api/job-types.ts"

const atHand = ({ ready = 0, leased = 0 }: JobType): number => ready + leased

export const busiestFirst = (types: readonly JobType[]): JobType[] =>
  types.toSorted((a, b) => atHand(b) - atHand(a) || (a.name < b.name ? -1 : 1))
