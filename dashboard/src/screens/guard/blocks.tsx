// What is blocked now, newest first: by operators and by the rules, with reason, author and end; and the way to lift each.
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { type Block, blocksQuery } from "../../api/guard/blocks.ts"
import { Button } from "../../kit/button.tsx"
import { CutName, CutText } from "../../kit/cut-text.tsx"
import { Pager } from "../../kit/pager.tsx"
import { Empty, Loaded } from "../../kit/states.tsx"
import { Standing } from "../../kit/status.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { Ago } from "../../kit/time.tsx"
import { BlockDialog } from "./block-dialog.tsx"
import { WhyLink } from "./top-callers.tsx"
import { UnblockDialog } from "./unblock-dialog.tsx"
import { blockName } from "./words.ts"

export function Blocks({ cursor }: { readonly cursor: string | undefined }) {
  const query = useQuery({ ...blocksQuery(cursor), placeholderData: keepPreviousData })
  const [asked, setAsked] = useState<Block | "new">()
  const close = () => setAsked(undefined)
  return (
    <>
      <div className="flex justify-end px-4 py-3">
        <Button onClick={() => setAsked("new")}>Block a caller…</Button>
      </div>
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="Nothing is blocked.">
              What the rules block for a while comes here by itself, with its reason, and goes when its time is over.
            </Empty>
          ) : (
            <Table caption="Blocks" columns={columnsOf(setAsked)} rows={items} keyOf={keyOf} />
          )
        }
      </Loaded>
      <Pager label="Pages of blocks" cursor={cursor} next={query.data?.next_cursor} />
      {asked === "new" && <BlockDialog onClose={close} />}
      {asked !== undefined && asked !== "new" && <UnblockDialog block={asked} onClose={close} />}
    </>
  )
}

const keyOf = ({ kind, value, rule }: Block): string => `${kind} ${value} ${rule}`

const columnsOf = (ask: (block: Block) => void): readonly Column<Block>[] => [
  {
    name: "Refused",
    cell: ({ degree }) =>
      degree === "hard" ? (
        <Standing tone="bad">until unblocked</Standing>
      ) : (
        <Standing tone="warn">for a while</Standing>
      ),
  },
  { name: "Who", className: "max-w-64 min-w-40", cell: (block) => <Who block={block} /> },
  { name: "Why", className: "w-full max-w-0 min-w-44", cell: ({ reason }) => <CutText text={reason} /> },
  { name: "By", className: "max-w-48", cell: (block) => <CutName text={authorOf(block)} className="text-muted" /> },
  { name: "Since", cell: ({ blocked_at }) => <Ago at={blocked_at} /> },
  { name: "Ends", cell: ({ blocked_until }) => <Ago at={blocked_until} /> },
  {
    name: "Actions",
    head: <span className="sr-only">Actions</span>,
    align: "right",
    cell: (block) => (
      <Button look="quiet" aria-label={`Unblock ${blockName(block)}`} onClick={() => ask(block)}>
        Unblock…
      </Button>
    ),
  },
]

const authorOf = ({ blocked_by }: Block): string => blocked_by ?? `the rule itself`

/** A user agent has no counters to show, so it is no link. */
const Who = ({ block: { kind, value } }: { readonly block: Block }) =>
  kind === "agent" ? <CutName text={value} className="font-mono text-xs" /> : <WhyLink name={value} />
