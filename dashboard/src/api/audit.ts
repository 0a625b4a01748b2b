// The audit trail of one instance: page by page, or the lines of some kinds.
import type { wire } from "@millrace/sdk"
import { get } from "./http.ts"

export type AuditLine = wire.AuditEntry

/** The largest page that the engine gives: a shorter page is the last one. */
const AUDIT_PAGE = 1_000

const readAudit = async (id: string, afterSeq: number): Promise<readonly AuditLine[]> =>
  (await get<"getInstanceAudit">(`/v1/instances/${encodeURIComponent(id)}/audit`, { afterSeq })).items

export const auditQuery = (id: string) => ({
  queryKey: ["instance", id, "audit"],
  queryFn: ({ pageParam }: { readonly pageParam: number }) => readAudit(id, pageParam),
  initialPageParam: 0,
  getNextPageParam: (page: readonly AuditLine[]) => (page.length < AUDIT_PAGE ? undefined : page.at(-1)?.seq),
})

/** A trail longer than this is looked through page by page, in its panel. */
const MOST_PAGES = 20

/** The lines of these kinds, from the whole trail. */
export const auditLinesQuery = (id: string, kinds: readonly string[]) => ({
  queryKey: ["instance", id, "audit-lines", kinds],
  queryFn: async () => {
    const found: AuditLine[] = []
    let afterSeq = 0
    for (let page = 0; page < MOST_PAGES; page++) {
      const lines = await readAudit(id, afterSeq)
      found.push(...lines.filter((line) => kinds.includes(line.kind)))
      if (lines.length < AUDIT_PAGE) break
      afterSeq = lines.at(-1)?.seq ?? afterSeq
    }
    return found as readonly AuditLine[]
  },
})
