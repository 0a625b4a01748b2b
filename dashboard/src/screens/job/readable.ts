// The engine's words for people: times as the reader's clock has them, and a sentence of its own.
import { fullTime } from "../../kit/time.tsx"

const TIME = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/g

export function readable(message: string): string {
  const text = message.replace(TIME, (at) => fullTime(at))
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`
}
