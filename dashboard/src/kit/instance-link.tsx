// An instance as a link, by what people call it: the key that its run was started with, else its business key, else its id.
import { Link } from "@tanstack/react-router"
import { cx } from "./classes.ts"

interface Called {
  readonly id: string
  readonly key?: string | undefined
  readonly businessKey?: string | undefined
}

/** Undefined where it has neither. */
export const keyOf = ({ key, businessKey }: Pick<Called, "key" | "businessKey">): string | undefined =>
  key ?? businessKey

const titleOf = ({ key, businessKey, id }: Called): string =>
  [
    ...(key === undefined ? [] : [`Key of the run: ${key}`]),
    ...(businessKey === undefined ? [] : [`Business key: ${businessKey}`]),
    id,
  ].join("\n")

interface Props {
  readonly instance: Called
  /** The step that is selected there. */
  readonly step?: string | undefined
  /** Where the link is that of its row. */
  readonly "data-row"?: string
}

export function InstanceLink({ instance, step, ...row }: Props) {
  const key = keyOf(instance)
  return (
    <Link
      to="/instances/$instanceId"
      params={{ instanceId: instance.id }}
      search={{ step }}
      title={titleOf(instance)}
      className={cx("block truncate", key === undefined ? "font-mono text-xs" : "font-medium")}
      {...row}
    >
      {key ?? instance.id}
    </Link>
  )
}
