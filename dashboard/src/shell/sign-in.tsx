// Where an engine that needs a credential asks for it: an API key, a user name and a password, or a provider.
import { useMutation } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { signIn, useSession } from "../api/session.ts"
import { Button, PlainLinkButton } from "../kit/button.tsx"
import { TextField } from "../kit/fields/fields.tsx"
import { ErrorNote } from "../kit/states.tsx"
import mark from "./mark.svg"

export function SignIn() {
  const [hasKey, setHasKey] = useState(true)
  const { data: session } = useSession()
  return (
    <main className="mx-auto flex min-h-screen max-w-sm flex-col justify-center gap-5 px-4">
      <h1 className="flex items-center gap-3 text-xl font-semibold">
        <img src={mark} alt="" className="size-9" />
        Sign in to Millrace
      </h1>
      {session?.provider && (
        // The engine answers with the way to the provider: the page itself knows no address of it.
        <PlainLinkButton href="/auth/oidc/start">Continue with {session.provider}</PlainLinkButton>
      )}
      {hasKey ? <KeyForm /> : <PasswordForm />}
      <Button look="quiet" onClick={() => setHasKey(!hasKey)}>
        {hasKey ? "Use a user name and a password" : "Use an API key"}
      </Button>
    </main>
  )
}

function KeyForm() {
  const [key, setKey] = useState("")
  return (
    <CredentialForm credential={() => ({ key: key.trim() })} clear={() => setKey("")}>
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
            Made with <code>millrace keys create your-name</code>. It is sent once; the browser keeps a session, not the
            key.
          </>
        }
      />
    </CredentialForm>
  )
}

function PasswordForm() {
  const [username, setUsername] = useState("")
  const [password, setPassword] = useState("")
  return (
    <CredentialForm credential={() => ({ username: username.trim(), password })} clear={() => setPassword("")}>
      <TextField
        label="User name"
        autoComplete="username"
        autoFocus
        required
        value={username}
        onChange={(event) => setUsername(event.target.value)}
        hint={
          <>
            Added with <code>millrace users add</code>.
          </>
        }
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
    </CredentialForm>
  )
}

interface FormProps {
  readonly credential: () => Parameters<typeof signIn>[0]
  /** Takes the secret out of the page, whatever came of it. */
  readonly clear: () => void
  readonly children: ReactNode
}

function CredentialForm({ credential, clear, children }: FormProps) {
  const attempt = useMutation({ mutationFn: signIn, onSettled: clear })
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        attempt.mutate(credential())
      }}
    >
      {children}
      <ErrorNote error={attempt.error} />
      <Button type="submit" look="primary" busy={attempt.isPending}>
        Sign in
      </Button>
    </form>
  )
}
