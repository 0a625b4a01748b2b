// The JSON of what is to be sent. Numbers that JSON does not have are refused: JSON.stringify would make them null in silence.

/** Throws a TypeError for what no wire can carry: circles, nests without end, BigInts, NaN and infinities. */
export function jsonText(value: object): string {
  try {
    const text = JSON.stringify(value)
    // A refused number has become null: only texts with one are looked through, because a replacer is slow.
    return text.includes("null") ? JSON.stringify(value, refuseOddNumbers) : text
  } catch (error) {
    if (error instanceof RangeError && error.message.includes("call stack"))
      throw new TypeError("the value is nested too deeply", { cause: error })
    throw error
  }
}

function refuseOddNumbers(key: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value))
    throw new TypeError(`${JSON.stringify(key)} is ${value}: JSON has no such number`)
  return value
}
