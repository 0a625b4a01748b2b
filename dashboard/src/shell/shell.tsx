// The frame around every screen: where one can go, how the connection is, and the screen itself.
import { Link, Outlet, useLocation } from "@tanstack/react-router"
import { useEffect, useRef, useState } from "react"
import { useLiveConnection, useOverview } from "../api/live.ts"
import { signOut, useMay, useScopes, useSession } from "../api/session.ts"
import { Button } from "../kit/button.tsx"
import { cx } from "../kit/classes.ts"
import { count } from "../kit/numbers.ts"
import { ErrorNote, Loading } from "../kit/states.tsx"
import { Toasts } from "../kit/toast.tsx"
import { ConnectionBanner, ConnectionLight } from "./connection.tsx"
import { FindBox } from "./find-box.tsx"
import { KeyboardHelp } from "./keyboard-help.tsx"
import mark from "./mark.svg"
import { NoScreens } from "./no-screens.tsx"
import { PLACES } from "./places.ts"
import { SignIn } from "./sign-in.tsx"
import { nextTheme, useTheme } from "./theme.ts"

export function Shell() {
  const session = useSession()
  if (!session.data) return session.error ? <Away error={session.error} /> : <Loading />
  const { signedIn, scopes, name = "This user" } = session.data
  if (!signedIn) return <SignIn />
  return isForGatewayOnly(scopes) ? <NoScreens name={name} /> : <Frame />
}

/** What the role USER has. */
const isForGatewayOnly = (scopes: readonly string[] = []): boolean => scopes.length === 1 && scopes[0] === "gateway"

function Away({ error }: { readonly error: unknown }) {
  return (
    <main className="mx-auto flex max-w-lg flex-col gap-3 px-4 py-16">
      <h1 className="text-xl font-semibold">The engine cannot answer just now</h1>
      <ErrorNote error={error} />
      <p className="text-muted">This page asks again every three seconds.</p>
    </main>
  )
}

function Frame() {
  useLiveConnection(useMay("metrics:read"))
  const [navIsOpen, setNavIsOpen] = useState(false)
  const { pathname } = useLocation()
  const main = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another screen closes the menu.
  useEffect(() => setNavIsOpen(false), [pathname])
  return (
    <div className="md:grid md:min-h-screen md:grid-cols-[13.5rem_minmax(0,1fr)]">
      <a href="#main" className="bg-surface sr-only z-50 p-2 focus:not-sr-only focus:absolute">
        Skip to content
      </a>
      <header className="border-line bg-surface border-b md:border-r md:border-b-0">
        <div className="md:sticky md:top-0 md:z-20 md:flex md:h-screen md:flex-col">
          <div className="flex items-center justify-between gap-2 px-4 py-3">
            <Link to="/" className="text-text flex items-center gap-2.5 text-lg font-semibold hover:no-underline">
              <img src={mark} alt="" className="size-7" />
              Millrace
            </Link>
            <div className="flex items-center gap-2 md:hidden">
              <ConnectionLight />
              <Button aria-expanded={navIsOpen} aria-controls="nav" onClick={() => setNavIsOpen(!navIsOpen)}>
                Menu
              </Button>
            </div>
          </div>
          <div id="nav" className={cx("flex-1 flex-col gap-4 px-3 pb-4 md:flex", navIsOpen ? "flex" : "hidden")}>
            <FindBox />
            <Nav />
            <div className="mt-auto flex flex-col gap-2 px-1">
              <div className="hidden md:block">
                <ConnectionLight />
              </div>
              <Settings />
            </div>
          </div>
        </div>
      </header>
      <div className="min-w-0">
        <ConnectionBanner />
        <main id="main" ref={main} tabIndex={-1} className="mx-auto max-w-[90rem] px-4 py-5 outline-none md:px-6">
          <Outlet />
        </main>
      </div>
      <KeyboardHelp />
      <Toasts />
    </div>
  )
}

function Nav() {
  const overview = useOverview()
  const scopes = useScopes()
  const counts: Readonly<Record<string, string | undefined>> = {
    "/dead-letters":
      overview && overview.deadLetters > 0 ? count(overview.deadLetters, overview.deadLettersAreExact) : undefined,
    "/user-tasks":
      overview && overview.openUserTasks > 0
        ? count(overview.openUserTasks, overview.openUserTasksAreExact)
        : undefined,
  }
  return (
    <nav aria-label="Screens">
      <ul className="flex flex-col gap-0.5">
        {PLACES.filter(({ scope }) => scopes(scope)).map(({ to, label }) => (
          <li key={to}>
            <Link
              to={to}
              activeOptions={{ exact: to === "/" }}
              className="flex items-center justify-between rounded-md px-3 py-1.5 text-sm font-medium hover:no-underline"
              activeProps={{ className: "bg-accent-soft text-accent" }}
              inactiveProps={{ className: "text-muted hover:bg-sunken hover:text-text" }}
            >
              {label}
              {counts[to] && <span className="text-xs">{counts[to]}</span>}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Settings() {
  const theme = useTheme()
  const { data: session } = useSession()
  return (
    <div className="text-muted flex flex-wrap items-center gap-1 text-xs">
      <Button look="quiet" className="px-2 py-1 text-xs" onClick={nextTheme}>
        Theme: {theme}
      </Button>
      <Link to="/api" className="text-muted px-2 py-1">
        API
      </Link>
      {session?.keyNeeded && (
        <Button look="quiet" className="px-2 py-1 text-xs" onClick={() => void signOut()}>
          Sign out {session.name}
        </Button>
      )}
    </div>
  )
}
