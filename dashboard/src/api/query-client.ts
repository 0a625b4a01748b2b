// The cache of what was read. Queries marked `live` are read again when something happens, all others when they are looked at.
import { QueryClient } from "@tanstack/react-query"
import { ApiError } from "./http.ts"

declare module "@tanstack/react-query" {
  interface Register {
    queryMeta: {
      /** Changes as the engine works: read again soon after it did something. */
      live?: boolean
    }
  }
}

/** Refused for good: asking again changes nothing. */
const isFinal = (error: unknown): boolean => error instanceof ApiError && error.status >= 400 && error.status < 500

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 1_000,
      refetchInterval: 15_000,
      retry: (failures, error) => !isFinal(error) && failures < 2,
    },
  },
})

export const refreshLive = (): Promise<void> =>
  queryClient.invalidateQueries({ predicate: ({ meta }) => meta?.live === true })

/** After a change on the screen of the queues: everything that it shows is read again. */
export const refreshQueues = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ["queues"] })
