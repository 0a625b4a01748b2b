// Through which topic of Kafka the jobs of a type go, and which group reads it.
import { isTopicName } from "../events/topic-name.ts"

const TOPICS = "workflow.jobs."
const GROUPS = "workflow.workers."

export const TOPIC_PATTERN = `${TOPICS}<jobType>`

export const topicOf = (jobType: string): string => `${TOPICS}${jobType}`
export const groupOf = (jobType: string): string => `${GROUPS}${jobType}`

/** The job type of a topic; undefined for topics of other things. */
export const jobTypeOf = (topic: string): string | undefined =>
  topic.startsWith(TOPICS) && topic.length > TOPICS.length ? topic.slice(TOPICS.length) : undefined

/** Why no topic can have the name that belongs to a job type; undefined where one can. */
export function topicFault(jobType: string): string | undefined {
  if (jobType !== "" && isTopicName(topicOf(jobType))) return undefined
  const most = 249 - TOPICS.length
  return `a job type that goes through Kafka has letters, digits, ".", "_" and "-", and at most ${most} of them`
}
