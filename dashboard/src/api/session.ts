// Who is looking: signed in by cookie, or the local developer who needs no key.
import type { wire } from "@millrace/sdk"
import { useQuery } from "@tanstack/react-query"
import { get, post, remove, whenSignedOut } from "./http.ts"
import { queryClient } from "./query-client.ts"

const KEY = ["session"]

const sessionQuery = {
  queryKey: KEY,
  queryFn: () => get<"getSession">("/v1/session"),
  staleTime: Number.POSITIVE_INFINITY,
  // An engine that cannot say who is looking is asked again until it can.
  refetchInterval: ({ state }: { readonly state: { readonly error: unknown } }) =>
    state.error ? 3_000 : (false as const),
}

export const useSession = () => useQuery(sessionQuery)

/** Asked while the page is still being put together. */
export const readSessionEarly = (): Promise<void> => queryClient.prefetchQuery(sessionQuery)

/** Whether a screen or a button is worth showing; the engine decides all the same. */
export function useScopes(): (scope: string) => boolean {
  const { data } = useSession()
  const scopes = data?.scopes ?? []
  return (scope) => scopes.includes("admin") || scopes.includes(scope)
}

export const useMay = (scope: string): boolean => useScopes()(scope)

/** The key or the password goes to the engine once and is kept nowhere in the page. */
export async function signIn(credential: wire.SignIn): Promise<void> {
  await post<"signIn">("/v1/session", credential)
  await queryClient.resetQueries()
}

/** The page begins anew: nothing that was read stays in it. */
export async function signOut(): Promise<void> {
  await remove<"signOut">("/v1/session")
  location.reload()
}

whenSignedOut(() => void queryClient.invalidateQueries({ queryKey: KEY }))
