// JSON as indented text, and code to copy. Whatever is inside is text, never markup.
import { useState } from "react"
import { Button } from "./button.tsx"
import { cx } from "./classes.ts"

/** Above this a value is cut, so that one huge payload cannot freeze the page. */
const MAX_SHOWN = 200_000

export const jsonText = (value: unknown): string => JSON.stringify(value, null, 2) ?? "undefined"

export function Json({
  value,
  label,
  className,
}: {
  readonly value: unknown
  readonly label: string
  readonly className?: string
}) {
  const text = jsonText(value)
  const isCut = text.length > MAX_SHOWN
  const shown = isCut
    ? `${text.slice(0, MAX_SHOWN)}\n… ${text.length - MAX_SHOWN} more characters: copy to see them`
    : text
  return <Snippet code={text} shown={shown} label={label} className={cx("rounded-md", className)} />
}

interface SnippetProps {
  readonly code: string
  /** What is seen of it, where that is less. */
  readonly shown?: string
  /** What it is, for those who do not see it. */
  readonly label: string
  /** What its button is called. */
  readonly copy?: string
  readonly className?: string
}

/** Code, a command or a value, to look at and to copy. */
export const Snippet = ({ code, shown = code, label, copy = `Copy ${label}`, className }: SnippetProps) => (
  <div className={cx("bg-sunken text-text relative min-w-0 text-left", className)}>
    <CopyButton text={code} label={copy} className="absolute top-1 right-1" />
    <section aria-label={label} tabIndex={0} className="max-h-96 overflow-auto p-3 pr-16">
      <pre className="font-mono text-xs leading-5 break-words whitespace-pre-wrap">{shown}</pre>
    </section>
  </div>
)

export function CopyButton({
  text,
  label,
  className,
}: {
  readonly text: string
  readonly label: string
  readonly className?: string
}) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await copyText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <Button look="quiet" className={cx("px-2 py-0.5 text-xs", className)} aria-label={label} onClick={copy}>
      {copied ? "Copied" : "Copy"}
    </Button>
  )
}

/** The clipboard is closed to pages on plain http that are not on this machine: there the old way still works. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement("textarea")
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand("copy")
  area.remove()
}

/** What was typed as JSON: its value, or why it is none. */
export function parseJson(
  text: string,
): { readonly value: unknown; readonly error?: undefined } | { readonly value?: undefined; readonly error: string } {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { error: error instanceof Error ? error.message : "not JSON" }
  }
}
