// What the picture means, for a reader who has read nothing: backpressure, priority and pace, each with how it stands now.
import type { ReactNode } from "react"
import { count, rate } from "../../../kit/numbers.ts"
import type { RaceFigures } from "./figures.ts"

export function Lessons({ figures, jobsPerDrop }: { readonly figures: RaceFigures; readonly jobsPerDrop: number }) {
  return (
    <dl className="border-line text-muted grid gap-x-6 gap-y-2 border-t px-4 py-3 text-xs lg:grid-cols-3">
      <Lesson term="Backpressure" now={gatesNow(figures)}>
        Jobs wait in a channel for each priority. One that is full to its upper mark shuts its gate, and new jobs are
        refused until it has fallen to the lower mark.
      </Lesson>
      <Lesson term="Priority" now={weightsNow(figures)}>
        The wheel is your workers: a paddle for each, filled while it has a job. The wider the way from a channel, the
        more of 100 jobs are taken from it.
      </Lesson>
      <Lesson term="Pace" now={dropText(jobsPerDrop)}>
        An outlet is a system that your jobs call, as wide as the most it may be sent per second. What is too much for
        it is held before it.
      </Lesson>
    </dl>
  )
}

const Lesson = ({ term, now, children }: { term: string; now: string; children: ReactNode }) => (
  <div>
    <dt className="text-text font-medium">{term}</dt>
    <dd>
      {children} <span className="text-text">{now}</span>
    </dd>
  </div>
)

function gatesNow({ total, channels, refused }: RaceFigures): string {
  if (total.shut) return `Now all jobs are refused, ${rate(refused)} per second.`
  const shut = channels.filter((channel) => channel.shut).map(({ name }) => name)
  if (shut.length === 0) return "Now all gates are open."
  return `Now ${shut.join(" and ")} ${shut.length === 1 ? "is" : "are"} shut: ${rate(refused)} jobs refused per second.`
}

const weightsNow = ({ channels }: RaceFigures): string =>
  `Now ${channels.map(({ name, weight }) => `${name} ${weight}`).join(", ")}.`

const dropText = (jobs: number): string =>
  jobs === 1 ? "Each drop is one job, at its true rate." : `Each drop is ${count(jobs)} jobs, at their true rate.`
