// The values of a form, what is wrong with them once sending it was tried, and the way to the first mistake.
import { useEffect, useMemo, useRef, useState } from "react"
import { ApiError, type Violation } from "../api/http.ts"
import { checkValue } from "./check.ts"
import { initialValue } from "./field-kind.ts"
import type { JsonSchema } from "./json-schema.ts"

const NONE: readonly Violation[] = []

/** `refusal` is what the engine said to the values that were sent last. */
export function useSchemaForm(schema: JsonSchema, refusal: unknown, known?: Readonly<Record<string, unknown>>) {
  const [value, setValue] = useState(() => initialValue(schema, known))
  const [tries, setTries] = useState(0)
  // From the first try on: what has been mended is not marked any more.
  const faults = useMemo(() => (tries > 0 ? checkValue(schema, value) : NONE), [tries, schema, value])
  const refused = refusal instanceof ApiError ? refusal.violations : NONE
  const errors = faults.length > 0 ? faults : refused
  const fields = useRef<HTMLDivElement>(null)
  // The focus goes to the first mistake, once for each try.
  // biome-ignore lint/correctness/useExhaustiveDependencies: typing must not move the focus.
  useEffect(() => {
    if (errors.length > 0) fields.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus()
  }, [tries, refused])
  return {
    schema,
    value,
    setValue,
    errors,
    /** For what is around the fields. */
    fields,
    /** What is left to say of a refusal below them: not what is said at a field already. */
    message: faults.length > 0 ? undefined : refused.length > 0 ? new Error((refusal as ApiError).message) : refusal,
    /** Whether they can be sent. */
    check: (): boolean => {
      setTries(tries + 1)
      return checkValue(schema, value).length === 0
    },
  }
}
