// The JSON of what is to be sent. Numbers that JSON does not have are refused: JSON.stringify would make them null in silence.

/** Throws a TypeError for what no wire can carry: circles, nests without end, BigInts, NaN and infinities. */
export function jsonText(value: object): string {
  try {
    const text = JSON.stringify(value)
    // A refused number has become null: only texts with one are looked through, because a replacer is slow.
    return text.includes("null") ? JSON.stringify(value, refuseOddNumbers) : text
  } catch (error) {
    throw explained(error)
  }
}

/** Explains the error in the words that gRPC has for it. */
function explained(error: unknown): unknown {
  if (error instanceof RangeError && error.message.includes("call stack"))
    return new TypeError("the value is nested too deeply", { cause: error })
  const words = error instanceof TypeError ? error.message : ""
  if (words.includes("BigInt"))
    return new TypeError("a bigint cannot be sent: variables are what JSON can say", { cause: error })
  if (words.includes("circular"))
    return new TypeError("the value is nested too deeply, or in a circle", { cause: error })
  return error
}

function refuseOddNumbers(key: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value))
    throw new TypeError(`${JSON.stringify(key)} is ${value}: JSON has no such number`)
  return value
}
