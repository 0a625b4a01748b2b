// docs/reference/errors.md: the error catalogue for people, from the contract.
import { parse } from "yaml"
import { read } from "../files.ts"
import { code, page, table } from "./table.ts"

interface Entry {
  readonly status: number
  readonly grpc: string
  readonly retryable: boolean
  readonly advice: string
}

export function errorsPage(): string {
  const catalogue = parse(read("contracts/errors.yaml")) as Record<string, Entry>
  const rows = Object.entries(catalogue).map(([name, { status, retryable, advice }]) => [
    code(name),
    String(status),
    retryable ? "yes" : "no",
    advice,
  ])
  return page("Errors", "contracts/errors.yaml", [
    'A refusal is JSON: `{"error": "<code>", "message": "…", "requestId": "…", "details": [{"path", "message", "hint"}]}`. `details` is there when single values are to blame, all of them at once.',
    "A code may be added; the meaning of an existing one never changes. A client that meets an unknown code goes by the HTTP status. *Retry* says whether the same request may succeed later, unchanged; `Retry-After` then gives the seconds to wait.",
    table(["code", "HTTP", "retry", "what to do"], rows),
  ])
}
