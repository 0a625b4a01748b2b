// Each rule: whether it refuses or only notes, how much it would have refused in the last day, and the switch, for one and for all.
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { type GuardRule, type ShadowMode, shadowStatsQuery } from "../../api/guard/shadow.ts"
import { Button } from "../../kit/button.tsx"
import { CutName } from "../../kit/cut-text.tsx"
import { count } from "../../kit/numbers.ts"
import { Standing } from "../../kit/status.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { Ago } from "../../kit/time.tsx"
import { type Switch, SwitchDialog } from "./switch-dialog.tsx"
import { isShadowed, RULE_NAMES, RULES } from "./words.ts"

interface Row {
  readonly rule: GuardRule
  readonly isShadowed: boolean
  /** Within 24 hours. */
  readonly wouldRefuse: number
}

export function ShadowRules({ shadow }: { readonly shadow: ShadowMode }) {
  const { data: stats } = useQuery(shadowStatsQuery)
  const [asked, setAsked] = useState<Switch>()
  const rows = RULE_NAMES.map((rule) => ({
    rule,
    isShadowed: isShadowed(shadow, rule),
    wouldRefuse: stats?.by_rule[rule] ?? 0,
  }))
  const allNote = rows.every(({ isShadowed }) => isShadowed)
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3 px-4 py-3">
        <p className="text-muted max-w-prose">
          A rule in shadow mode refuses nothing: what it would refuse passes and is noted. <Changed shadow={shadow} />
        </p>
        <Button onClick={() => setAsked({ enabled: !allNote, wouldRefuse: stats?.total ?? 0 })}>
          {allNote ? "Let all rules refuse…" : "Let all rules only note…"}
        </Button>
      </div>
      <Table caption="Rules" columns={columnsOf(setAsked)} rows={rows} keyOf={({ rule }) => rule} />
      {asked && <SwitchDialog asked={asked} onClose={() => setAsked(undefined)} />}
    </>
  )
}

const Changed = ({ shadow: { source, changed_by, changed_at } }: { readonly shadow: ShadowMode }) =>
  source === "config" ? (
    <span>It is as configured.</span>
  ) : (
    <span>
      Last changed <Ago at={changed_at} /> by <CutName text={changed_by ?? "–"} />.
    </span>
  )

const columnsOf = (ask: (asked: Switch) => void): readonly Column<Row>[] => [
  {
    name: "Rule",
    className: "w-full min-w-56",
    cell: ({ rule }) => (
      <>
        <span className="font-medium">{RULES[rule].name}</span>
        <span className="text-muted block text-xs">{RULES[rule].effect}</span>
      </>
    ),
  },
  {
    name: "State",
    cell: ({ isShadowed }) => (
      <Standing tone={isShadowed ? "warn" : "good"}>{isShadowed ? "only notes" : "refuses"}</Standing>
    ),
  },
  { name: "Noted in 24 h", align: "right", cell: ({ wouldRefuse }) => count(wouldRefuse) },
  {
    name: "Actions",
    head: <span className="sr-only">Actions</span>,
    align: "right",
    cell: ({ rule, isShadowed, wouldRefuse }) => (
      <Button
        look="quiet"
        aria-label={`${isShadowed ? "Let refuse" : "Let only note"}: ${RULES[rule].name}`}
        onClick={() => ask({ rule, enabled: !isShadowed, wouldRefuse })}
      >
        {isShadowed ? "Let refuse…" : "Let only note…"}
      </Button>
    ),
  },
]
