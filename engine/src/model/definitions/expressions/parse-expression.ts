// Reads tokens into the tree by recursive descent. Precedence from low to high: or, and, equality, relational and `in`, additive, multiplicative, unary.
import type { BinaryOperator, Expression, LogicalOperator, Node } from "./ast.ts"
import { LIMITS } from "./ast.ts"
import { ExpressionError } from "./expression-error.ts"
import { type Token, tokenize } from "./tokenize.ts"

const LEVELS: readonly (readonly string[])[] = [
  ["||"],
  ["&&"],
  ["==", "!="],
  [">", ">=", "<", "<=", "in"],
  ["+", "-"],
  ["*", "/"],
]
const CONSTANTS = new Map<string, null | boolean>([
  ["true", true],
  ["false", false],
  ["null", null],
])

/** Operators that other languages write as words; here they are names. */
const WORDS = new Map([
  ["and", "&&"],
  ["or", "||"],
  ["not", "!"],
])

export function parseExpression(source: string): Expression {
  if (source.length > LIMITS.sourceBytes || new TextEncoder().encode(source).length > LIMITS.sourceBytes) {
    throw new ExpressionError(`an expression is longer than ${LIMITS.sourceBytes} bytes`)
  }
  return new Parser(source).parse()
}

class Parser {
  readonly #source: string
  readonly #tokens: readonly Token[]
  #next = 0
  #nodes = 0
  #depth = 0
  #readsVariables = false

  constructor(source: string) {
    this.#source = source
    this.#tokens = tokenize(source)
  }

  parse(): Expression {
    const root = this.#nested(() => this.#level(0))
    if (this.#token.kind !== "end") this.#fail("expected an operator or the end")
    return { source: this.#source, root, readsVariables: this.#readsVariables }
  }

  #level(index: number): Node {
    const operators = LEVELS[index]
    if (operators === undefined) return this.#unary()
    let left = this.#level(index + 1)
    for (let operator = this.#takeOperator(operators); operator; operator = this.#takeOperator(operators)) {
      left = this.#join(operator, left, this.#level(index + 1))
    }
    return left
  }

  #join(operator: string, left: Node, right: Node): Node {
    if (operator === "&&" || operator === "||") {
      return this.#node({ kind: "logical", operator: operator satisfies LogicalOperator, left, right })
    }
    return this.#node({ kind: "binary", operator: operator as BinaryOperator, left, right })
  }

  #unary(): Node {
    if (this.#take("!")) return this.#node({ kind: "not", operand: this.#nested(() => this.#unary()) })
    if (this.#take("-")) return this.#negated(this.#nested(() => this.#unary()))
    return this.#access(this.#primary())
  }

  #negated(operand: Node): Node {
    // A negative literal is one node, as it reads.
    if (operand.kind === "literal" && typeof operand.value === "number") return { ...operand, value: 0 - operand.value }
    return this.#node({ kind: "negate", operand })
  }

  #primary(): Node {
    const token = this.#token
    if (token.kind === "end" || token.kind === "symbol") return this.#group()
    this.#next += 1
    if (token.kind === "hash") return this.#variable(token.text)
    if (token.kind === "word") return this.#word(token)
    return this.#node({ kind: "literal", value: token.value })
  }

  #group(): Node {
    const opening = this.#token
    if (this.#take("(")) return this.#closed(")", `unclosed \`(\``, opening)
    if (this.#take("${")) return this.#closed("}", `unclosed \`\${\``, opening)
    return this.#fail("expected a value")
  }

  #closed(closing: string, complaint: string, opening: Token): Node {
    const inner = this.#nested(() => this.#level(0))
    if (this.#token.kind === "end") throw new ExpressionError(complaint, opening.at)
    if (!this.#take(closing)) this.#fail(`expected an operator or \`${closing}\``)
    return inner
  }

  #word(token: Token & { kind: "word" }): Node {
    const constant = CONSTANTS.get(token.text)
    if (constant !== undefined) return this.#node({ kind: "literal", value: constant })
    if (token.text === "in") throw new ExpressionError("expected a value before `in`", token.at)
    return this.#take("(") ? this.#call(token) : this.#variable(token.text)
  }

  #call(token: Token & { kind: "word" }): Node {
    const [first, second, ...rest] = this.#arguments()
    const count = rest.length + Number(first !== undefined) + Number(second !== undefined)
    if (token.text === "now" && count === 0) return this.#node({ kind: "now" })
    if (token.text === "len" && first && count === 1) return this.#node({ kind: "len", operand: first })
    if (token.text === "contains" && first && second && count === 2) return this.#join("in", second, first)
    throw new ExpressionError(
      `no function \`${token.text}\` with ${count} arguments; known are contains(collection, element), len(value), now()${symbolFor(token)}`,
      token.at,
    )
  }

  #arguments(): Node[] {
    if (this.#take(")")) return []
    const values: Node[] = []
    do values.push(this.#nested(() => this.#level(0)))
    while (this.#take(","))
    if (!this.#take(")")) this.#fail("expected `,` or `)`")
    return values
  }

  #variable(name: string): Node {
    this.#readsVariables = true
    return this.#node({ kind: "variable", path: [name] })
  }

  #access(node: Node): Node {
    let result = node
    while (this.#take(".")) {
      if (result.kind !== "variable") this.#fail("only a variable has properties")
      result = this.#node({ kind: "variable", path: [...result.path, this.#propertyName()] })
    }
    return result
  }

  #propertyName(): string {
    const token = this.#token
    if (token.kind !== "word") return this.#fail("expected a property's name after `.`")
    this.#next += 1
    return token.text
  }

  get #token(): Token {
    return this.#tokens[this.#next] as Token
  }

  #take(symbol: string): boolean {
    return this.#takeOperator([symbol]) !== undefined
  }

  #takeOperator(operators: readonly string[]): string | undefined {
    const token = this.#token
    if (token.kind !== "symbol" && token.kind !== "word") return undefined
    if (!operators.includes(token.text)) return undefined
    this.#next += 1
    return token.text
  }

  #nested(read: () => Node): Node {
    this.#depth += 1
    if (this.#depth > LIMITS.depth) throw new ExpressionError(`nested deeper than ${LIMITS.depth}`, this.#token.at)
    const node = read()
    this.#depth -= 1
    return node
  }

  #node<T extends Node>(node: T): T {
    this.#nodes += 1
    if (this.#nodes > LIMITS.nodes) throw new ExpressionError(`more than ${LIMITS.nodes} parts`, this.#token.at)
    return node
  }

  #fail(expected: string): never {
    const token = this.#token
    const found = token.kind === "end" ? "the end" : `\`${this.#source.slice(token.at - 1, token.at + 15).trimEnd()}\``
    const meant = symbolFor(token) || symbolFor(this.#tokens[this.#next - 1])
    throw new ExpressionError(`${expected}, found ${found}${meant}`, token.at)
  }
}

/** Nothing where the token is no such word. */
function symbolFor(token: Token | undefined): string {
  const symbol = token?.kind === "word" ? WORDS.get(token.text.toLowerCase()) : undefined
  return symbol === undefined ? "" : `; write \`${symbol}\` for \`${(token as { text: string }).text}\``
}
