// Where an engine that needs a key asks for it.
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { signIn } from "../api/session.ts"
import { Button } from "../kit/button.tsx"
import { TextField } from "../kit/fields/fields.tsx"
import { ErrorNote } from "../kit/states.tsx"
import mark from "./mark.svg"

export function SignIn() {
  const [key, setKey] = useState("")
  const attempt = useMutation({ mutationFn: signIn, onSettled: () => setKey("") })
  return (
    <main className="mx-auto flex min-h-screen max-w-sm flex-col justify-center gap-5 px-4">
      <h1 className="flex items-center gap-3 text-xl font-semibold">
        <img src={mark} alt="" className="size-9" />
        Sign in to Millrace
      </h1>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          attempt.mutate(key.trim())
        }}
      >
        <TextField
          label="API key"
          type="password"
          autoComplete="off"
          autoFocus
          required
          value={key}
          onChange={(event) => setKey(event.target.value)}
          hint={
            <>
              Made with <code>millrace keys create your-name</code>. It is sent once; the browser keeps a session, not
              the key.
            </>
          }
        />
        <ErrorNote error={attempt.error} />
        <Button type="submit" look="primary" busy={attempt.isPending}>
          Sign in
        </Button>
      </form>
    </main>
  )
}
