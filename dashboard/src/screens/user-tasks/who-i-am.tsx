// The name that tasks are claimed under: a field in the head of the inbox.
import { FilterText } from "../../kit/fields/filter-fields.tsx"

interface Props {
  readonly me: string
  readonly onMe: (name: string) => void
}

export const WhoIAm = ({ me, onMe }: Props) => (
  <FilterText label="I am" placeholder="your name" value={me} onChange={(name) => onMe(name ?? "")} />
)
