// The colours of what is drawn, by role: as classes for what the stylesheet reaches, as colours for the canvas.

export type ChartTone = "accent" | "good" | "warn" | "bad" | "info" | "calm"

export const TEXT_OF: Readonly<Record<ChartTone, string>> = {
  accent: "text-accent",
  good: "text-good",
  warn: "text-warn",
  bad: "text-bad",
  info: "text-info",
  calm: "text-calm",
}

/** As the theme has it now: a canvas does not follow by itself. */
export const colourOf = (role: ChartTone | "line" | "muted"): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${role}`).trim()
