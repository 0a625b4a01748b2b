// Who is looking: signed in with a key by cookie, or the local developer who needs none.
import { useQuery } from "@tanstack/react-query"
import { get, post, remove, whenSignedOut } from "./http.ts"
import { queryClient } from "./query-client.ts"

export interface Session {
  readonly keyNeeded: boolean
  readonly signedIn: boolean
  readonly name?: string
  readonly scopes?: readonly string[]
}

const KEY = ["session"]

export const useSession = () =>
  useQuery({
    queryKey: KEY,
    queryFn: () => get<Session>("/v1/session"),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  })

/** Whether a button is worth showing; the engine decides all the same. */
export function useMay(scope: string): boolean {
  const { data } = useSession()
  const scopes = data?.scopes ?? []
  return scopes.includes("admin") || scopes.includes(scope)
}

/** The key goes to the engine once and is kept nowhere in the page. */
export async function signIn(key: string): Promise<void> {
  await post("/v1/session", { key })
  await queryClient.resetQueries()
}

export async function signOut(): Promise<void> {
  await remove("/v1/session")
  // What was read goes with whoever read it.
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] })
  await queryClient.resetQueries({ queryKey: KEY })
}

whenSignedOut(() => void queryClient.invalidateQueries({ queryKey: KEY }))
