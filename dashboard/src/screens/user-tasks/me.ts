// The name under which a person works on tasks: what the key is called, or what was typed in here last.
import { useState } from "react"
import { useSession } from "../../api/session.ts"

const KEY = "millrace-me"

export function useMe(): readonly [string, (name: string) => void] {
  const { data: session } = useSession()
  const [typed, setTyped] = useState(() => localStorage.getItem(KEY) ?? "")
  const change = (name: string) => {
    localStorage.setItem(KEY, name)
    setTyped(name)
  }
  return [typed || (session?.keyNeeded ? (session.name ?? "") : ""), change]
}
