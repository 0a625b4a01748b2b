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

/** The colour in the present theme. A canvas does not follow a change of theme by itself. */
export const colourOf = (role: ChartTone | "line" | "muted"): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${role}`).trim()
