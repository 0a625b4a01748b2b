// The frame of a screen: its title, what it is about, what can be done, and cards of content.
import { type ReactNode, useEffect } from "react"
import { cx } from "./classes.ts"
import { Words } from "./cut-text.tsx"

interface PageProps {
  readonly title: string
  /** Above the title: where it belongs, as links. */
  readonly crumbs?: ReactNode
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  /** Something of this screen that is looked at, see `Drawer`. */
  readonly drawer?: ReactNode
  readonly children: ReactNode
}

export function Page({ title, crumbs, lead, actions, drawer, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Millrace`
  }, [title])
  return (
    <div className={cx("flex flex-col gap-4", Boolean(drawer) && "xl:pr-[31rem]")}>
      <header className="flex flex-wrap items-end justify-between gap-3">
        <div className="min-w-0">
          {crumbs && <nav className="text-muted mb-0.5 text-xs">{crumbs}</nav>}
          <h1 className="text-xl font-semibold">
            <Words text={title} />
          </h1>
          {lead && (
            <p className="text-muted mt-0.5 max-w-prose">{typeof lead === "string" ? <Words text={lead} /> : lead}</p>
          )}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      {children}
      {drawer}
    </div>
  )
}

interface CardProps {
  readonly title?: ReactNode
  readonly actions?: ReactNode
  readonly className?: string
  /** Without padding: for tables and graphs that go to the edge. */
  readonly flush?: boolean
  readonly children: ReactNode
}

export function Card({ title, actions, className, flush = false, children }: CardProps) {
  return (
    <section className={cx("border-line bg-surface min-w-0 rounded-lg border", className)}>
      {(title || actions) && (
        <div className="flex flex-wrap items-center justify-between gap-2 px-4 pt-3 pb-2">
          <h2 className="font-semibold">{title}</h2>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
      )}
      <div className={flush ? "" : cx("px-4 pb-4", !title && !actions && "pt-4")}>{children}</div>
    </section>
  )
}
