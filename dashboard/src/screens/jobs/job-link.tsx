// A standalone job in a row: a link by its key, else by its id, which stands below the key.
import { Link } from "@tanstack/react-router"
import { cx } from "../../kit/classes.ts"
import { ROW_LINK } from "../../kit/row-keys.ts"

interface Props {
  readonly job: { readonly id: string; readonly key?: string | undefined }
}

export function JobLink({ job: { id, key } }: Props) {
  return (
    <span className="block min-w-0" title={key === undefined ? id : `Key: ${key}\nId: ${id}`}>
      <Link
        to="/jobs/$jobId"
        params={{ jobId: id }}
        className={cx("block truncate", key === undefined ? "font-mono text-xs" : "font-medium")}
        {...ROW_LINK}
      >
        {key ?? id}
      </Link>
      {key !== undefined && <span className="text-muted block truncate font-mono text-xs">{id}</span>}
    </span>
  )
}
