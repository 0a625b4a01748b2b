// What only some keys may see: shown to those, and to others the scope that they would need.
import type { ReactNode } from "react"
import { useMay } from "../api/session.ts"
import { Empty } from "./states.tsx"

export function Needs({ scope, children }: { readonly scope: string; readonly children: ReactNode }) {
  if (useMay(scope)) return children
  return (
    <Empty title="This key may not see this.">
      It needs the scope <code>{scope}</code>: <code>millrace keys create your-name --scope {scope}</code>
    </Empty>
  )
}
