// Makes tokens that no library would make: any header, any payload, any signature.
import { createHmac, type KeyObject, sign } from "node:crypto"

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

type Signer = (input: string) => Buffer | string

export function forge(header: unknown, payload: unknown, signer: Signer = () => ""): string {
  const input = `${part(header)}.${part(payload)}`
  const signature = signer(input)
  return `${input}.${typeof signature === "string" ? signature : signature.toString("base64url")}`
}

export const byHmac =
  (secret: string | Buffer): Signer =>
  (input) =>
    createHmac("sha256", secret).update(input).digest()

export const byKey =
  (key: KeyObject, hash: string | null = "sha256", options: object = {}): Signer =>
  (input) =>
    sign(hash, Buffer.from(input), { key, ...options })
