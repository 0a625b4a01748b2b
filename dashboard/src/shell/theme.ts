// Light, dark, or as the system has it; remembered in this browser.
import { useSyncExternalStore } from "react"

const THEMES = ["system", "light", "dark"] as const
export type Theme = (typeof THEMES)[number]

const KEY = "millrace-theme"
const systemIsDark = matchMedia("(prefers-color-scheme: dark)")
const listeners = new Set<() => void>()

const isTheme = (text: string | null): text is Theme => (THEMES as readonly (string | null)[]).includes(text)

function readTheme(): Theme {
  const stored = localStorage.getItem(KEY)
  return isTheme(stored) ? stored : "system"
}

const isDark = (): boolean => (readTheme() === "system" ? systemIsDark.matches : readTheme() === "dark")

export function applyTheme(): void {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light"
  for (const listener of listeners) listener()
}

export function nextTheme(): void {
  const next = THEMES[(THEMES.indexOf(readTheme()) + 1) % THEMES.length] as Theme
  localStorage.setItem(KEY, next)
  applyTheme()
}

systemIsDark.addEventListener("change", applyTheme)

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, readTheme)

/** What the stylesheet shows. The system's choice is known a moment earlier: a colour that is read then is that of the old theme. */
const showsDark = (): boolean => document.documentElement.dataset.theme === "dark"

/** For what is drawn on a canvas and cannot ask the stylesheet by itself. */
export const useIsDark = (): boolean => useSyncExternalStore(subscribe, showsDark)
