// The words of the JSON and the numbers of the enums: `STEP_TYPE_END` is 8 on gRPC and `END` on REST.

type Enum = Readonly<Record<string, number | string>>

export class EnumNames {
  readonly #prefix: string
  readonly #numbers: Enum
  readonly #names: ReadonlyMap<number, string>

  constructor(prefix: string, numbers: Enum) {
    this.#prefix = prefix
    this.#numbers = numbers
    const pairs = Object.entries(numbers).flatMap(([name, number]) =>
      typeof number === "number" ? [[number, name.slice(prefix.length)] as const] : [],
    )
    this.#names = new Map(pairs)
  }

  /** An unknown word is UNSPECIFIED, which the engine refuses where it matters. */
  number(name: string | undefined): number {
    const number = name === undefined ? 0 : this.#numbers[`${this.#prefix}${name}`]
    return typeof number === "number" ? number : 0
  }

  /** A number of a newer engine is told as it is. */
  name(number: number): string {
    return this.#names.get(number) ?? String(number)
  }
}
