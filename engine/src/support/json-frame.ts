// What the JSON scanner knows of one open object or array, and the path that the open ones make up.

export interface Frame {
  readonly isObject: boolean
  expectsKey: boolean
  names: string[] | Set<string>
  /** Position in an array. */
  index: number
  /** Newest key of an object. */
  name: string
}

/** A linear search beats a set in small objects, which most are. */
const SMALL = 8

/** False where the object has it already. */
export function addName(frame: Frame, name: string): boolean {
  if (Array.isArray(frame.names)) {
    if (frame.names.includes(name)) return false
    if (frame.names.push(name) > SMALL) frame.names = new Set(frame.names)
    return true
  }
  return frame.names.size !== frame.names.add(name).size
}

/** `$.steps[2].nextStep`; keys capped, since a caller may send very long ones. */
export const pathOf = (frames: readonly Frame[]): string =>
  frames.reduce((path, { isObject, index, name, expectsKey }) => {
    if (!isObject) return `${path}[${index}]`
    if (expectsKey) return path
    return /^[A-Za-z_]\w{0,63}$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name.slice(0, 64))}]`
  }, "$")
