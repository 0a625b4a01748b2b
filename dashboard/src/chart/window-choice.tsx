// How far back the charts of a screen go, as links: the window is in the address.
import { Link } from "@tanstack/react-router"
import { WINDOWS, type Window } from "../api/stats.ts"

/** The usual window is the one that an address without one means. */
export const WindowChoice = ({ usual }: { readonly usual: Window }) => (
  <nav aria-label="How far back" className="border-line bg-surface flex rounded-md border p-0.5 text-sm">
    {(Object.keys(WINDOWS) as Window[]).map((window) => (
      <Link
        key={window}
        to="."
        search={(search: object) => ({ ...search, window: window === usual ? undefined : window })}
        activeOptions={{ exact: true }}
        resetScroll={false}
        className="rounded px-3 py-0.5 hover:no-underline"
        activeProps={{ className: "bg-accent-soft text-accent font-medium" }}
        inactiveProps={{ className: "text-muted hover:text-text" }}
      >
        {WINDOWS[window]}
      </Link>
    ))}
  </nav>
)
