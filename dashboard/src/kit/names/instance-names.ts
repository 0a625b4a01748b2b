// The names that an instance may have besides its id: which there are, what each means, and by which one people call it.

/** The names of an instance, as the engine gives them with it or with a row about it. */
export interface InstanceNames {
  readonly key?: string | undefined
  readonly businessKey?: string | undefined
  readonly linkingId?: string | undefined
}

interface NameKind {
  readonly of: keyof InstanceNames
  readonly label: string
  readonly about: string
}

export const ABOUT: Readonly<Record<keyof InstanceNames, string>> = {
  key: "What it was started with. There is one run for each key and definition, for good.",
  businessKey: "What the instance is about, such as an order number. It is free again when the instance has ended.",
  linkingId: "The event that it may wait for. A wake-up with this id goes to every run that has it.",
}

/** The first that there is stands for the instance. A linking id may be that of many, and stands for none. */
export const NAME_KINDS: readonly NameKind[] = [
  { of: "key", label: "Key", about: ABOUT.key },
  { of: "businessKey", label: "Business key", about: ABOUT.businessKey },
  { of: "linkingId", label: "Linking id", about: ABOUT.linkingId },
]

export interface InstanceName extends NameKind {
  readonly value: string
}

export const namesOf = (instance: InstanceNames): readonly InstanceName[] =>
  NAME_KINDS.flatMap((kind) => {
    const value = instance[kind.of]
    return value === undefined ? [] : [{ ...kind, value }]
  })

/** Undefined where it is called by its id. */
export const keyOf = ({ key, businessKey }: InstanceNames): string | undefined => key ?? businessKey

/** The names that are not the one by which people call the instance. */
export const otherNames = (instance: InstanceNames): readonly InstanceName[] =>
  namesOf(instance).filter(({ of }) => of === "linkingId" || instance[of] !== keyOf(instance))

/** The names as short text: `business key order-7 · linking id user-4711`. */
export const namesText = (names: readonly InstanceName[]): string =>
  names.map(({ label, value }) => `${label.toLowerCase()} ${value}`).join(" · ")
