// What a transport may know of the database's failures: how to tell a caller, and whether the database is away.
export { hasSqlState, isAway as isDatabaseAway, toEngineError as asEngineError } from "../db/errors.ts"
