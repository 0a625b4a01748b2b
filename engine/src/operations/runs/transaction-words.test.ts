// What a step must not say to its transaction, in all the disguises that PostgreSQL would see through.
import { describe, expect, test } from "vitest"
import { transactionWord } from "./transaction-words.ts"

describe("A-X2: statements that would end, begin or cut the transaction", () => {
  test.each([
    ["commit", "COMMIT"],
    ["  \n\tCoMMit and chain", "COMMIT"],
    ["; ; commit", "COMMIT"],
    ["-- a note\ncommit", "COMMIT"],
    ["-- a note\r\n-- another\rcommit", "COMMIT"],
    ["/* a /* nested */ note */ commit", "COMMIT"],
    ["/**/;/**/commit/**/", "COMMIT"],
    ["commit prepared 'x'", "COMMIT"],
    ["END", "END"],
    ["abort;", "ABORT"],
    ["begin", "BEGIN"],
    ["start/* */transaction", "START"],
    ["rollback to savepoint before_steps", "ROLLBACK"],
    ["savepoint mine", "SAVEPOINT"],
    ["release before_steps", "RELEASE"],
    ["prepare/**/transaction 'x'", "PREPARE TRANSACTION"],
    ["PREPARE -- so\nTRANSACTION 'x'", "PREPARE TRANSACTION"],
  ])("%j is %s", (statement, word) => {
    expect(transactionWord(statement)).toBe(word)
  })
})

describe("everything else is the step's own business", () => {
  test.each([
    "select 1",
    "insert into commits values (1)",
    "committed()",
    "select 'commit'",
    "-- commit\nselect 1",
    "/* commit */ select 1",
    "/* unfinished commit",
    "prepare commit as select 1",
    "endorse",
    "with a as (select 1) select * from a",
    "",
    ";",
  ])("%j", (statement) => {
    expect(transactionWord(statement)).toBeUndefined()
  })
})
