// Starts the page: theme, data cache, live connection, router.
import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { queryClient } from "./api/query-client.ts"
import { readSessionEarly } from "./api/session.ts"
import { router } from "./router.tsx"
import { applyTheme } from "./shell/theme.ts"
import "./styles.css"

applyTheme()
void readSessionEarly()

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
