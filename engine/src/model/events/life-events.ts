// The life of an instance as events: of which type they are, and which definitions can have them.
import { isTopicName } from "./topic-name.ts"

/** The type is the topic, too. */
export const lifeEventType = (definitionId: string): string => `workflow.events.${definitionId}`

/** Why instances of a definition with this id cannot publish their life; undefined where they can, or the id is wrong in itself. */
export function lifeTypeFault(definitionId: unknown): string | undefined {
  if (typeof definitionId !== "string" || isTopicName(lifeEventType(definitionId))) return undefined
  return `cannot be published: ${lifeEventType("<id>")} is the name of a topic, of letters, digits, _, - and ., 249 at most`
}
