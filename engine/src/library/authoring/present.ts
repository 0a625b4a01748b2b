// Optional fields that are there: an absent field and one that is undefined are not the same to `in`, to spread and to JSON.

type Present<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

/** Without the fields that are undefined. */
export function present<Fields extends object>(fields: Fields): Present<Fields> {
  const found: Present<Fields> = {}
  for (const name of Object.keys(fields) as (keyof Fields)[])
    if (fields[name] !== undefined) found[name] = fields[name] as Exclude<Fields[typeof name], undefined>
  return found
}
