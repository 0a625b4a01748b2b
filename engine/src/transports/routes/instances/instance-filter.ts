// Which instances: the filters that listing and bulk operations share.
import { instanceMachine } from "../../../model/instances/instance-machine.ts"
import { VERSIONS } from "../../calls/decode.ts"
import type { Fields } from "../../calls/fields.ts"

/** In a list they may be empty; a bulk operation must not take an empty one for none. */
export const readNames = (from: Fields) => ({
  definitionId: from.optionalText("definitionId", 256),
  status: from.optionalOneOf("status", instanceMachine.states),
  businessKey: from.optionalText("businessKey"),
})

export const readRange = (from: Fields) => ({
  version: from.wholeNumber("version", VERSIONS),
  startedAfter: from.moment("startedAfter"),
  startedBefore: from.moment("startedBefore"),
  failure: from.optionalText("failure", 64),
})
