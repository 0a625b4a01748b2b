// The instances of one definition whose key begins with a text, in the order of the keys: what a page costs does not grow with them.
import { type KeyedRow, listKeyed } from "../../store/instances/intake.ts"
import { beginningWith } from "../kernel/beginning-with.ts"
import { cutLooked, readCursor } from "../kernel/cursor.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { KEYS_LOOKED_AT, type KeyedPage } from "../kernel/keyed-page.ts"
import { withCurrentSteps } from "./current-steps.ts"
import { type InstanceView, viewOfRow } from "./instance-view.ts"
import { filterOf, type ListRequest } from "./read-instances.ts"

export interface KeyedRequest extends Omit<ListRequest, "page"> {
  readonly definitionId: string
  readonly keyPrefix: string
}

export interface KeyedInstance extends InstanceView {
  readonly key: string
}

export async function listInstancesByKey(kernel: Kernel, request: KeyedRequest): Promise<KeyedPage<KeyedInstance>> {
  const { definitionId, keyPrefix, cursor, pageSize } = request
  const isOurs = (text: string) => (text.startsWith(keyPrefix) ? text : undefined)
  const afterKey = cursor === undefined ? "" : readCursor(cursor, isOurs)
  const limit = pageSize + 1
  const lookAt = isNarrowed(request) ? Math.max(limit, KEYS_LOOKED_AT) : limit
  const keys = { ...beginningWith(keyPrefix), afterKey, lookAt, limit }
  const rows = await listKeyed(kernel.db, { ...filterOf(request), definitionId }, keys)
  const { shown, next } = cutLooked(rows, pageSize, ({ key }) => key)
  const views = await withCurrentSteps(kernel, shown.map(viewOfRow))
  return { items: views.map((view, at) => ({ ...view, key: (shown[at] as KeyedRow).key })), ...next }
}

/** By more than the key: of those that are looked at some may not match. */
const isNarrowed = ({ status, businessKey, version, startedAfter, startedBefore }: KeyedRequest): boolean =>
  [status, businessKey, version, startedAfter, startedBefore].some((each) => each !== undefined)
