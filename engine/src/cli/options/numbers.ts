// Numbers on the command line, refused with what they must be.
import { InvalidArgumentError } from "commander"

export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.")
  return Number(text)
}

export function positiveWhole(text: string): number {
  const value = wholeNumber(text)
  if (value === 0) throw new InvalidArgumentError("It must be at least 1.")
  return value
}

export function positiveNumber(text: string): number {
  const value = Number(text)
  if (!/^\d/.test(text) || !(value > 0) || !Number.isFinite(value))
    throw new InvalidArgumentError("It must be a number above 0.")
  return value
}
