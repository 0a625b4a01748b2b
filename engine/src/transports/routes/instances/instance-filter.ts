// Which instances: the filters that listing and bulk operations share.
import { instanceMachine } from "../../../model/instances/instance-machine.ts"
import { VERSIONS } from "../../calls/decode.ts"
import type { Fields } from "../../calls/fields.ts"

export const readInstanceFilter = (from: Fields) => ({
  definitionId: from.optionalText("definitionId", 256),
  version: from.wholeNumber("version", VERSIONS),
  status: from.optionalOneOf("status", instanceMachine.states),
  businessKey: from.optionalText("businessKey"),
  startedAfter: from.moment("startedAfter"),
  startedBefore: from.moment("startedBefore"),
  failure: from.optionalText("failure", 64),
})
