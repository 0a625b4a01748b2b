// An ISO-8601 duration as people write it: `P2DT3H` is `2 d 3 h`.
const DURATION = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/
const UNITS = ["w", "d", "h", "min", "s"] as const

export function durationWords(duration: string): string {
  const parts = DURATION.exec(duration)?.slice(1) ?? []
  const words = UNITS.flatMap((unit, index) => (parts[index] ? [`${Number(parts[index])} ${unit}`] : []))
  return words.length === 0 ? duration : words.join(" ")
}
