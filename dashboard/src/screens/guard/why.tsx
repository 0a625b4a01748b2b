// Why an address or a client is refused, or how far it is from that: reasons, and what was counted against its limits.
import { useQuery } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { type WhyAnswer, whyQuery } from "../../api/guard/state.ts"
import { Button } from "../../kit/button.tsx"
import { CutName, Words } from "../../kit/cut-text.tsx"
import { TextField } from "../../kit/fields/fields.tsx"
import { count } from "../../kit/numbers.ts"
import { Card } from "../../kit/page.tsx"
import { Progress } from "../../kit/progress.tsx"
import { Loaded } from "../../kit/states.tsx"
import { Standing } from "../../kit/status.tsx"
import { Ago } from "../../kit/time.tsx"
import { ruleName } from "./words.ts"

interface Props {
  readonly name: string | undefined
  readonly onAsk: (name: string | undefined) => void
}

export function Why({ name = "", onAsk }: Props) {
  const [typed, setTyped] = useState(name)
  const [seen, setSeen] = useState(name)
  if (seen !== name) {
    setSeen(name)
    setTyped(name)
  }
  const ask = (event: FormEvent) => {
    event.preventDefault()
    onAsk(typed.trim() || undefined)
  }
  return (
    <div id="why">
      <Card title="Why is a caller refused?">
        <search aria-label="Why is a caller refused?">
          <form onSubmit={ask} className="flex max-w-xl flex-wrap items-end gap-2">
            <div className="min-w-0 flex-1 basis-60">
              <TextField
                label="Address or client"
                placeholder="192.0.2.7 or key:0f3a9c1d2e4b5a67"
                autoComplete="off"
                value={typed}
                onChange={(event) => setTyped(event.target.value)}
              />
            </div>
            <Button type="submit" className="min-h-8.5">
              Ask why
            </Button>
          </form>
        </search>
        {name !== "" && <Answer name={name} />}
      </Card>
    </div>
  )
}

function Answer({ name }: { readonly name: string }) {
  const query = useQuery(whyQuery(name))
  return (
    <section aria-label={`Why ${name}`} className="mt-4">
      <Loaded query={query}>{(answer) => <Told answer={answer} />}</Loaded>
    </section>
  )
}

function Told({ answer }: { readonly answer: WhyAnswer }) {
  const { subject, reasons, counts } = answer
  return (
    <div className="flex flex-col gap-3">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <CutName text={subject} className="font-mono text-xs" />
        <Verdict answer={answer} />
      </p>
      {reasons.length > 0 && (
        <ul aria-label="Reasons" className="flex flex-col gap-1">
          {reasons.map(({ rule, reason, by, until }) => (
            <li key={`${rule} ${reason}`}>
              <span className="font-medium">{ruleName(rule)}</span>: <Words text={reason} />
              <span className="text-muted">
                {by !== undefined && ` · by ${by}`}
                {until !== undefined && (
                  <>
                    {" · ends "}
                    <Ago at={until} />
                  </>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
      <ul aria-label="Numbers" className="grid gap-x-6 gap-y-3 sm:grid-cols-2 lg:grid-cols-3">
        {counts.map((one) => (
          <Count key={`${one.name} ${one.limit} ${one.window_seconds}`} {...one} />
        ))}
      </ul>
    </div>
  )
}

function Verdict({ answer }: { readonly answer: WhyAnswer }) {
  if ("hard_blocked_bloom" in answer && answer.hard_blocked_bloom)
    return <Standing tone="bad">refused until it is unblocked</Standing>
  if (answer.soft_blocked) return <Standing tone="warn">refused for a while</Standing>
  return <Standing tone="good">may call</Standing>
}

function Count({ name, count: value, limit, window_seconds }: WhyAnswer["counts"][number]) {
  return (
    <li className="flex min-w-0 flex-col gap-1">
      <p className="text-xs">
        <span className="text-muted">{name} </span>
        <span className="font-medium tabular-nums">{number(value)}</span>
        {limit !== undefined && ` of ${number(limit)}`}
        {window_seconds !== undefined && ` in ${number(window_seconds)} s`}
      </p>
      {limit !== undefined && <Progress label={name} value={value} max={limit} tone={toneOf(value, limit)} />}
    </li>
  )
}

/** Most are counted; how even gaps are is a fraction. */
const number = (value: number): string => (Number.isInteger(value) ? count(value) : value.toFixed(2))

const toneOf = (value: number, limit: number) => (value >= limit ? "bad" : value >= limit * 0.7 ? "warn" : "accent")
