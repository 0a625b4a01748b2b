// What is shown where there is no dead letter.
import { Link } from "@tanstack/react-router"
import { Empty } from "../../kit/states.tsx"

export const NoDeadLetters = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No dead letter matches this filter.">
      <Link to="/dead-letters">Show all dead letters</Link>
    </Empty>
  ) : (
    <Empty title="No dead letters. All is well.">
      A job comes here when its retries are used up, when its worker says that a retry is of no use, or when it took
      down several workers. Here you can see why, and replay it once the cause is gone.
    </Empty>
  )
