// The one live connection of a page: server-sent events, shared by everything that is shown, reconnecting by itself.
import type { wire } from "@millrace/sdk"
import { useEffect, useSyncExternalStore } from "react"
import type { Overview } from "./overview.ts"
import { queryClient, refreshLive } from "./query-client.ts"

export interface Connection {
  /** `closed`: this key may not watch, and nothing is tried. */
  readonly state: "connecting" | "live" | "lost" | "closed"
  /** When it came to be so. */
  readonly since: number
}

/** A page that is not seen lets go of its connection: a browser has six for all its pages of one address. */
const HIDDEN_MS = 2_000
const REFRESH_MS = 2_000
/** The engine says something at least every 15 s: after this silence the connection is dead, whatever the browser thinks. */
const SILENT_MS = 25_000
const RECONNECT_MS = 2_000

class Live {
  overview: Overview | undefined
  connection: Connection = { state: "connecting", since: Date.now() }
  readonly #listeners = new Set<() => void>()
  readonly #watched = new Map<string, number>()
  #source: EventSource | undefined
  #opening: ReturnType<typeof setTimeout> | undefined
  #silence: ReturnType<typeof setTimeout> | undefined
  #refreshedAt = 0
  #refresh: ReturnType<typeof setTimeout> | undefined
  #wanted = false

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Keeps the connection open, while the page is seen. */
  readonly start = (): (() => void) => {
    let hiding: ReturnType<typeof setTimeout> | undefined
    const onVisibility = () => {
      clearTimeout(hiding)
      if (document.hidden) hiding = setTimeout(() => this.#close(), HIDDEN_MS)
      else if (!this.#source) this.#open()
    }
    this.#wanted = true
    // Another person may have signed in since.
    this.overview = undefined
    if (!document.hidden) this.#open()
    document.addEventListener("visibilitychange", onVisibility)
    return () => {
      this.#wanted = false
      clearTimeout(hiding)
      document.removeEventListener("visibilitychange", onVisibility)
      this.#close()
    }
  }

  readonly refuse = (): void => this.#become("closed")

  /** Tells of every change of an instance until it is let go. */
  watch(id: string): () => void {
    this.#watched.set(id, (this.#watched.get(id) ?? 0) + 1)
    this.#reopenSoon()
    return () => {
      const left = (this.#watched.get(id) ?? 1) - 1
      if (left > 0) this.#watched.set(id, left)
      else this.#watched.delete(id)
      this.#reopenSoon()
    }
  }

  #reopenSoon(delayMs = 50): void {
    clearTimeout(this.#opening)
    if (this.#wanted && !document.hidden) this.#opening = setTimeout(() => this.#open(), delayMs)
  }

  #open(): void {
    this.#close()
    const query = new URLSearchParams([...this.#watched.keys()].slice(0, 20).map((id) => ["instanceId", id]))
    const source = new EventSource(`/v1/stream${query.size > 0 ? `?${query}` : ""}`)
    this.#source = source
    source.addEventListener("overview", (event) => {
      this.#heard()
      this.#take(JSON.parse(event.data) as Overview)
    })
    source.addEventListener("instance", (event) => {
      this.#heard()
      const { id } = JSON.parse(event.data) as wire.InstanceChange
      void queryClient.invalidateQueries({ queryKey: ["instance", id] })
    })
    // The browser gives up for good when it is refused once, a restarting engine included: we do not.
    source.onerror = () => this.#lose()
  }

  #heard(): void {
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => this.#lose(), SILENT_MS)
    if (this.connection.state === "live") return
    // What happened meanwhile is not known: everything that is shown is read again.
    if (this.connection.state === "lost") void queryClient.invalidateQueries()
    this.#become("live")
  }

  #lose(): void {
    this.#close()
    this.#become("lost")
    this.#reopenSoon(RECONNECT_MS)
  }

  #close(): void {
    clearTimeout(this.#opening)
    clearTimeout(this.#silence)
    this.#source?.close()
    this.#source = undefined
  }

  #become(state: Connection["state"]): void {
    if (this.connection.state !== state) this.connection = { state, since: Date.now() }
    this.#tell()
  }

  #take(overview: Overview): void {
    const before = this.overview
    this.overview = overview
    if (isBusy(overview) || !before || counts(before) !== counts(overview) || isBusy(before)) this.#refreshSoon()
    this.#tell()
  }

  #refreshSoon(): void {
    if (this.#refresh !== undefined) return
    const delay = Math.max(0, this.#refreshedAt + REFRESH_MS - Date.now())
    this.#refresh = setTimeout(() => {
      this.#refresh = undefined
      this.#refreshedAt = Date.now()
      void refreshLive()
    }, delay)
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}

const isBusy = ({ rates }: Overview): boolean => Object.values(rates).some((rate) => rate > 0)

const counts = ({ leases, deadLetters, openUserTasks, total }: Overview): string =>
  [leases, deadLetters, openUserTasks, total.depth].join()

const live = new Live()

/** Undefined until the engine has spoken. */
export const useOverview = (): Overview | undefined => useSyncExternalStore(live.subscribe, () => live.overview)

export const useConnection = (): Connection => useSyncExternalStore(live.subscribe, () => live.connection)

/** Once, at the top of the page. */
export const useLiveConnection = (mayWatch: boolean): void =>
  useEffect(() => (mayWatch ? live.start() : live.refuse()), [mayWatch])

/** Queries whose key begins with ["instance", id] are read again whenever the instance changes. */
export const useWatchedInstance = (id: string): void => useEffect(() => live.watch(id), [id])
