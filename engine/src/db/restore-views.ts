// Makes the views for readers again where they are gone. They have a schema of their own, which a dump of the engine's leaves out.

interface View {
  readonly name: string
  readonly text: string
}

interface Script {
  readonly text: string
}

type Run = (text: string) => Promise<{ rows: Record<string, unknown>[] }>

const VIEW = /^create (?:or replace )?view millrace_views\.(?<name>\w+) as\n[^;]*;/gm

/** The current text of each view: the one in the last migration that makes it. */
export function viewsOf(migrations: readonly Script[]): readonly View[] {
  const texts = migrations.flatMap(({ text }) => [...text.replaceAll(/--.*$/gm, "").matchAll(VIEW)])
  const byName = new Map(texts.map((match) => [match.groups?.name ?? "", match[0]]))
  return [...byName].map(([name, text]) => ({ name, text }))
}

/**
 * Returns the names of those that were made. `applied`: the migrations that the database has; those to come may build on their views.
 * Under the lock of migrations.
 */
export async function restoreViews(run: Run, applied: readonly Script[]): Promise<readonly string[]> {
  const views = viewsOf(applied)
  const { rows } = await run(`select v.name from unnest('{${views.map(({ name }) => name)}}'::text[]) v (name)
    where to_regclass('millrace_views.' || v.name) is null`)
  const missing = views.filter(({ name }) => rows.some((row) => row.name === name))
  if (missing.length === 0) return []
  await run(["create schema if not exists millrace_views;", ...missing.map(({ text }) => text)].join("\n"))
  return missing.map(({ name }) => name)
}
