// A button, and a link that looks like one.
import { createLink } from "@tanstack/react-router"
import type { AnchorHTMLAttributes, ButtonHTMLAttributes } from "react"
import { cx } from "./classes.ts"

type Look = "plain" | "primary" | "danger" | "quiet"

const LOOKS: Readonly<Record<Look, string>> = {
  plain: "border-line bg-surface hover:bg-sunken",
  primary: "border-transparent bg-accent text-on-accent hover:brightness-110",
  danger: "border-bad text-bad bg-surface hover:bg-bad-soft",
  quiet: "border-transparent hover:bg-sunken text-muted hover:text-text",
}

const SHAPE =
  "inline-flex items-center justify-center gap-1.5 rounded-md border px-3 py-1 text-sm font-medium whitespace-nowrap no-underline hover:no-underline disabled:opacity-50"

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: Look
  /** Shows that it works, and takes no second click. */
  readonly busy?: boolean
}

export function Button({ look = "plain", busy = false, className, disabled, children, ...rest }: Props) {
  return (
    <button
      type="button"
      className={cx(SHAPE, LOOKS[look], className)}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      {...rest}
    >
      {children}
      {busy && <span aria-hidden="true">…</span>}
    </button>
  )
}

interface AnchorProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly look?: Look
}

function Anchor({ look = "plain", className, ...rest }: AnchorProps) {
  return <a className={cx(SHAPE, LOOKS[look], look === "plain" && "text-text", className)} {...rest} />
}

export const LinkButton = createLink(Anchor)
/** Leaves the page: its address is not one of the dashboard's. */
export const PlainLinkButton = Anchor
