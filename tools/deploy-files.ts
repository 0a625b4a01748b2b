// compose.yaml and the Dockerfile as their tests see them.
import { parse } from "yaml"
import { read } from "./files.ts"

export interface Service {
  readonly image: string
  readonly build?: { readonly context: string; readonly dockerfile: string; readonly target: string }
  readonly restart: string
  readonly command?: readonly string[]
  readonly entrypoint?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly profiles?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean }
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly user?: string
}
export interface Compose {
  readonly name: string
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, unknown>>
}

/** As it is written, with anchors resolved. */
export const readCompose = (): Compose => parse(read("deploy/compose.yaml"), { merge: true }) as Compose

/** `${NAME:-value}` is the value, `${NAME:?why}` a secret of the operator, `$$` a dollar sign. */
export function interpolate<T>(part: T): T {
  if (typeof part === "string")
    return part.replaceAll(/\$\$|\$\{\w+:([-?])([^}]*)\}/g, (all, kind, value) =>
      all === "$$" ? "$" : kind === "-" ? value : "secret",
    ) as T
  if (Array.isArray(part)) return part.map(interpolate) as T
  if (part === null || typeof part !== "object") return part
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, interpolate(value)])) as T
}

export interface Instruction {
  readonly name: string
  readonly rest: string
}
export interface Stage {
  readonly image: string
  readonly name: string
  readonly instructions: readonly Instruction[]
}

/** The stages of a Dockerfile: a line each, without comments. */
export function readStages(path: string): readonly Stage[] {
  const text = read(path)
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n/g, "")
  const lines = text.split("\n").filter((line) => line.trim())
  const stages: { image: string; name: string; instructions: Instruction[] }[] = []
  for (const line of lines) {
    const [, name = "", rest = ""] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    if (name === "FROM") {
      const [image = "", , stage = ""] = rest.split(/\s+/)
      stages.push({ image, name: stage, instructions: [] })
    } else stages.at(-1)?.instructions.push({ name, rest })
  }
  return stages
}
