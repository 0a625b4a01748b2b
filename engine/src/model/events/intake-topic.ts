// The topics that the engine reads by itself: submissions to a definition, and events that wake waiting runs.
import { hasControlCharacter } from "../../support/control-characters.ts"
import { badRequest } from "../../support/errors.ts"
import type { JsonObject } from "../../support/json.ts"
import { messageId, readValue, type TopicRecord } from "./message.ts"
import { isTopicName } from "./topic-name.ts"

export const intakeTopic = (definitionId: string): string => `workflow.intake.${definitionId}`

/** An id with `:` in it, or one that is too long, has no topic. */
export const isIntakeDefinition = (id: string): boolean => id !== "" && isTopicName(intakeTopic(id))

const LONGEST = 512

const isKey = (text: string | null | undefined): text is string =>
  typeof text === "string" && text !== "" && text.length <= LONGEST && !hasControlCharacter(text)

/** What the sender calls the submission; a record that says nothing is known by its id, or else by its place. */
export function intakeKey(record: TopicRecord): string {
  const named = [record.headers["idempotency-key"], record.key].find(isKey)
  return named ?? messageId(record)
}

/** Throws `bad-request` for a message that says nothing of the kind. */
export function readLinkingId(value: Buffer): string {
  const content = readValue(value)
  if ("fault" in content) throw badRequest(content.fault)
  const { linkingId }: JsonObject = content.payload
  if (typeof linkingId !== "string" || !isKey(linkingId))
    throw badRequest("linkingId must be a text of 1 to 512 characters")
  return linkingId
}
