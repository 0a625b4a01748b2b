// Code or a command to copy.
import { cx } from "./classes.ts"
import { CopyButton } from "./json.tsx"

interface Props {
  readonly code: string
  /** What it is, for those who do not see it. */
  readonly label: string
  /** What its button is called. */
  readonly copy?: string
  readonly className?: string
}

export const Snippet = ({ code, label, copy = `Copy ${label}`, className }: Props) => (
  <div className={cx("bg-sunken text-text relative min-w-0 text-left", className)}>
    <CopyButton text={code} label={copy} className="absolute top-1 right-1" />
    <section aria-label={label} tabIndex={0} className="max-h-96 overflow-auto p-3 pr-16">
      <pre className="font-mono text-xs leading-5 break-words whitespace-pre-wrap">{code}</pre>
    </section>
  </div>
)
