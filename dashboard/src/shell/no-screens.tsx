// What a user sees who may call what the gateway forwards and nothing of the engine: why there is no screen, and the way out.
import { signOut } from "../api/session.ts"
import { Button } from "../kit/button.tsx"
import { Words } from "../kit/cut-text.tsx"

export function NoScreens({ name }: { readonly name: string }) {
  return (
    <main className="mx-auto flex max-w-lg flex-col items-start gap-3 px-4 py-16">
      <h1 className="text-xl font-semibold">
        <Words text={`${name} may not look at the engine`} />
      </h1>
      <p>
        This user may only call what the gateway forwards (<code>/gateway/…</code>). An administrator gives more rights:{" "}
        after <code>millrace users promote</code> this user may do everything, and an API key as much as its scopes say.
      </p>
      <Button onClick={() => void signOut()}>Sign out</Button>
    </main>
  )
}
