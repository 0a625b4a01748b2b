// The schema as the catalogue knows it, in words that a reader can compare: what migrations/schema.sql is written from.
import type { Database } from "../db/database.ts"

const HEAD =
  "-- Written from the catalogue by schema.test.ts (UPDATE_SCHEMA=1 rewrites it). What the migrations add up to; never applied.\n"

export async function describeSchema(db: Database): Promise<string> {
  const parts = [await functions(db), await sequences(db), await tables(db), await views(db)]
  return `${HEAD}\n${parts.flat().join("\n\n")}\n`
}

async function functions(db: Database): Promise<string[]> {
  const rows = await db.script(
    "select pg_get_functiondef(oid) as text from pg_proc where pronamespace = 'millrace'::regnamespace order by proname",
  )
  return rows.map((row) => `${(row.text as string).trimEnd()};`)
}

async function sequences(db: Database): Promise<string[]> {
  // Sequences behind identity columns are shown with their column.
  const rows = await db.script(`select s.sequencename as name, s.cache_size from pg_sequences s
    where s.schemaname = 'millrace' and not exists (
      select from pg_depend d where d.objid = format('millrace.%I', s.sequencename)::regclass and d.deptype = 'i') order by 1`)
  return rows.map((row) => `create sequence millrace.${row.name} cache ${row.cache_size};`)
}

async function tables(db: Database): Promise<string[]> {
  const rows = await db.script(`select c.oid, c.relname as name, pg_get_partkeydef(c.oid) as key,
      pg_get_expr(c.relpartbound, c.oid) as bound, i.inhparent::regclass::text as parent,
      array_to_string(c.reloptions, ', ') as options
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid and c.relispartition
    where c.relnamespace = 'millrace'::regnamespace and c.relkind in ('r', 'p') order by c.relname`)
  return Promise.all(rows.map((row) => table(db, row)))
}

async function views(db: Database): Promise<string[]> {
  const rows = await db.script(`select schemaname as schema, viewname as name, definition from pg_views
    where schemaname in ('millrace', 'millrace_views') order by 1, 2`)
  return rows.map((row) => `create view ${row.schema}.${row.name} as\n${row.definition}`)
}

async function table(db: Database, row: Record<string, unknown>): Promise<string> {
  if (row.parent) return `create table millrace.${row.name} partition of ${row.parent} ${row.bound};`
  const oid = row.oid as number
  const lines = [...(await columns(db, oid)), ...(await constraints(db, oid))].map((line) => `  ${line}`)
  const options = row.options ? ` with (${row.options})` : ""
  const key = row.key ? ` partition by ${row.key}` : ""
  const create = `create table millrace.${row.name} (\n${lines.join(",\n")}\n)${key}${options};`
  return [create, ...(await indexes(db, oid))].join("\n")
}

async function columns(db: Database, oid: number): Promise<string[]> {
  const rows = await db.script(`select concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
      case when a.attcollation <> t.typcollation then format('collate %I', co.collname) end,
      case when a.attnotnull then 'not null' end,
      case when a.attidentity <> '' then 'generated always as identity' end,
      'default ' || pg_get_expr(d.adbin, d.adrelid)) as text
    from pg_attribute a join pg_type t on t.oid = a.atttypid
    left join pg_collation co on co.oid = a.attcollation
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = ${oid} and a.attnum > 0 and not a.attisdropped order by a.attnum`)
  return rows.map((row) => row.text as string)
}

async function constraints(db: Database, oid: number): Promise<string[]> {
  // PostgreSQL 18 lists NOT NULL among the constraints; the columns show it already.
  const rows = await db.script(`select format('constraint %I %s', conname, pg_get_constraintdef(oid)) as text
    from pg_constraint where conrelid = ${oid} and contype <> 'n' order by contype desc, conname`)
  return rows.map((row) => row.text as string)
}

async function indexes(db: Database, oid: number): Promise<string[]> {
  const rows = await db.script(`select pg_get_indexdef(i.indexrelid) as text from pg_index i
    where i.indrelid = ${oid} and not exists (select from pg_constraint where conindid = i.indexrelid and contype in ('p', 'u'))
    order by 1`)
  return rows.map((row) => `${row.text};`)
}
