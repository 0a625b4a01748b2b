// What the offsets of a group say of the messages that were published for it: passed, still waiting, or not there any more.

/** A partition with messages that are not known to be passed. */
export interface PublishedPlace {
  readonly jobType: string
  readonly partition: number
  readonly first: number
  readonly last: number
}

/** How far the consumers have come there. */
export interface ConsumerProgress {
  readonly jobType: string
  readonly partition: number
  /** The first offset that they have not passed; undefined where the group has none. */
  readonly committed: number | undefined
  /** The first message that is kept, and where the next one will be. */
  readonly first: number
  readonly end: number
}

interface Range {
  readonly jobType: string
  readonly partition: number
  readonly from: number
  readonly to: number
}

export interface Judged {
  /** Messages before this offset are behind the consumers. */
  readonly passed: readonly { readonly jobType: string; readonly partition: number; readonly offset: number }[]
  /** Messages that their topic does not have: it was deleted or made anew, or has removed them before they were read. */
  readonly lost: readonly Range[]
  /** The group is beyond the end of the topic: what it says of its place means nothing until it commits again. */
  readonly unusable: readonly { readonly jobType: string; readonly partition: number }[]
}

/** `places` must have been read before `progress`: a message that came in between is not lost. */
export function judgeProgress(places: readonly PublishedPlace[], progress: readonly ConsumerProgress[]): Judged {
  const byPlace = new Map(progress.map((one) => [nameOf(one), one]))
  const judged = places.map((place) => judgePlace(place, byPlace.get(nameOf(place))))
  return {
    passed: judged.flatMap(({ passed }) => passed),
    lost: judged.flatMap(({ lost }) => lost),
    unusable: judged.flatMap(({ unusable }) => unusable),
  }
}

const nameOf = ({ jobType, partition }: { jobType: string; partition: number }): string => `${partition}:${jobType}`

function judgePlace({ jobType, partition, first, last }: PublishedPlace, at: ConsumerProgress | undefined): Judged {
  const place = { jobType, partition }
  if (!at) return { passed: [], lost: [{ ...place, from: first, to: last }], unusable: [] }
  const isUsable = (at.committed ?? 0) <= at.end
  const committed = isUsable ? (at.committed ?? 0) : 0
  const ranges = [
    { from: Math.max(first, committed), to: Math.min(last, at.first - 1) },
    { from: Math.max(first, committed, at.end), to: last },
  ]
  return {
    passed: committed > first ? [{ ...place, offset: committed }] : [],
    lost: ranges.filter(({ from, to }) => from <= to).map((range) => ({ ...place, ...range })),
    unusable: isUsable ? [] : [place],
  }
}
