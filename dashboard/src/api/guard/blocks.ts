// What is blocked at the doors, by operators and by the rules, and how a block is made and lifted.
import type { wire } from "@millrace/sdk"
import { get, post, remove } from "../http.ts"
import { GUARD, READ_EVERY_MS } from "./state.ts"

export type Block = wire.Block

const PAGE_SIZE = 50

export const blocksQuery = (cursor: string | undefined) => ({
  queryKey: [...GUARD, "blocks", cursor],
  queryFn: () => get<"listBlocks">("/admin/blocks", { cursor, pageSize: PAGE_SIZE }),
  refetchInterval: READ_EVERY_MS,
})

export interface NewBlock {
  readonly kind: "address" | "agent"
  readonly value: string
  readonly reason: string
  /** ISO-8601; without it until it is lifted. */
  readonly for?: string | undefined
}

const at = (route: string, name: string): string => `/admin/${route}/${encodeURIComponent(name)}`

export const block = ({ kind, value, ...terms }: NewBlock): Promise<unknown> =>
  kind === "address"
    ? post<"blockAddress">(at("block-ip", value), terms)
    : post<"blockAgent">("/admin/block-agent", { user_agent: value, ...terms })

/** What a rule has blocked by itself is pardoned: its counters begin anew. */
export function unblock({ kind, value }: Pick<Block, "kind" | "value">): Promise<unknown> {
  if (kind === "subject") return post<"pardonClient">(at("pardons", value))
  if (kind === "address") return remove<"unblockAddress">(at("block-ip", value))
  return remove<"unblockAgent">(`/admin/block-agent?${new URLSearchParams({ user_agent: value })}`)
}
