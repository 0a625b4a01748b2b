// The words of the JSON and the numbers of the enums: `STEP_TYPE_END` is 8 on gRPC and `END` on REST.

type Enum = Readonly<Record<string, number | string>>

/** No enum of the contract has it, nor will. */
const NO_SUCH_WORD = -1

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

  /** An empty word says nothing, as over REST. An unknown one must not: the engine refuses its number in the words of REST. */
  number(name: string | undefined): number {
    if (name === undefined || name === "") return 0
    const number = this.#numbers[`${this.#prefix}${name}`]
    return typeof number === "number" ? number : NO_SUCH_WORD
  }

  /** A number that only a newer engine knows is returned as it is. */
  name(number: number): string {
    return this.#names.get(number) ?? String(number)
  }
}
