// How long the statements of a database wait for locks, where a test says otherwise than the engine does.

/**
 * To be run in a database that is to be cloned, or before its connections are opened: what the engine sets with `set_config` goes through
 * this. `name` and `value` are expressions of SQL over what is set.
 */
export const interceptSettings = (schema: string, { name = "name", value = "value" }): string => `
  create schema ${schema};
  create function ${schema}.set_config(name text, value text, is_local boolean) returns text language sql as
    $$ select pg_catalog.set_config(${name}, ${value}, is_local) $$;`

/** For each database: a clone does not take it over. */
export const takeInterception = (database: string, schema: string): string =>
  `alter database ${database} set search_path = ${schema}, pg_catalog, public`
