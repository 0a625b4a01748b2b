import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { EngineError } from "./errors.ts"
import { checkJson, jsonLimits, parseJson } from "./json-scan.ts"

function refusal(text: string, judge: (text: string) => unknown = parseJson): EngineError {
  try {
    judge(text)
  } catch (error) {
    if (error instanceof EngineError) return error
    throw error
  }
  throw new Error(`accepted ${text.slice(0, 80)}`)
}
const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth)
const keys = (count: number): string => `{${Array.from({ length: count }, (_, i) => `"k${i}":${i}`).join()}}`

describe("what is refused", () => {
  test.each<[string, string, RegExp]>([
    ["SEC-33: an escaped NUL", '{"a":"x\\u0000"}', /\\u0000 at \$\.a \(position 7\)/],
    ["SEC-33: an escaped NUL in a key", '{"a\\u0000":1}', /\\u0000/],
    ["SEC-33: an escaped NUL after other escapes", '["\\\\\\n\\u0000"]', /\\u0000 at \$\[0\]/],
    ["SEC-33: a raw NUL", '"\0"', /not JSON/],
    ["SEC-33: a lone high surrogate", '["\\ud800"]', /surrogate/],
    ["SEC-33: a lone low surrogate", '["\\udc00"]', /surrogate/],
    ["SEC-33: a high surrogate before another escape", '["\\ud83d\\n"]', /surrogate/],
    ["SEC-33: two high surrogates", '["\\ud83d\\ud83d\\ude00"]', /surrogate/],
    ["SEC-33: a raw lone surrogate", '{"a":"\ud800"}', /surrogate.*position 6/],
    ["SEC-33: a raw low surrogate after an escaped high one", '"\\ud83d\ude00"', /surrogate/],
    ["SEC-33: an integer past 2^53", '{"n":[0,9007199254740993]}', /2\^53−1\) at \$\.n\[1\] \(position 8\): .* string/],
    ["SEC-33: 2^53 itself", "9007199254740992", /2\^53/],
    ["SEC-33: a negative one", "-9007199254740992", /2\^53/],
    ["SEC-33: twenty digits", "12345678901234567890", /2\^53/],
    ["SEC-33: the same with a fraction", "9007199254740993.0", /2\^53/],
    ["SEC-33: the same with an exponent", "1e20", /2\^53/],
    ["SEC-33: an overflow", '{"a":-1e400}', /range of doubles at \$\.a/],
    ["SEC-33: an overflow by digits", `1${"0".repeat(400)}`, /range of doubles/],
    ["S25: an underflow", '{"a":[1e-400]}', /does not keep at \$\.a\[0\] \(position 6\): .* string/],
    ["S25: an underflow by digits", `{"a":0.${"0".repeat(400)}1}`, /does not keep at \$\.a /],
    ["S25: eighteen digits", '{"a":{"b":0.123456789012345678}}', /does not keep at \$\.a\.b /],
    ["S25: eighteen digits with an exponent", "-1.23456789012345678E-5", /does not keep/],
    ["S25: a fraction of a large number", "1234567890123456.789", /does not keep/],
    ["S25: a thousand digits", `{"n":0.${"3".repeat(1_000)}}`, /does not keep at \$\.n /],
    ["S25: a one after very many zeros", `0.5${"0".repeat(900_000)}1`, /does not keep/],
    ["SEC-33: __proto__", '{"a":{"__proto__":{}}}', /key __proto__ at \$\.a\.__proto__/],
    ["SEC-33: __proto__ with escapes", '{"\\u005f_proto__":1}', /key __proto__/],
    ["SEC-33: prototype", '{"prototype":1}', /key prototype/],
    ["SEC-33: constructor", '[{"constructor":1}]', /key constructor/],
    ["SEC-39: a key twice", '{"a":1,"b":2,"a":3}', /given twice at \$\.a \(position 13\)/],
    ["SEC-39: a key twice by an escape", '{"a":1,"\\u0061":3}', /given twice/],
    ["SEC-39: a key twice in a wide object", keys(30).replace('"k29"', '"k3"'), /given twice at \$\.k3/],
    ["SEC-32: a depth bomb", "[".repeat(100_000), /deeper than 32/],
    ["SEC-32: a depth bomb of objects", '{"a":'.repeat(33), /deeper than 32 levels at \$\.a\.a/],
    ["truncated in an object", '{"a":1', /ends too early, after 6 characters/],
    ["truncated in a string", '{"a":"b', /ends too early/],
    ["truncated in an escape", '{"a":"\\u00', /not JSON/],
    ["truncated after a backslash", '"\\', /not JSON/],
    ["an empty body", "", /body is empty/],
    ["white space only", " \n", /body is empty/],
    ["no JSON at all", "hello", /not JSON: Unexpected token/],
    ["two values", "{} {}", /not JSON/],
    ["closing what is not open", "]}", /not JSON/],
    ["a number with a leading zero", "[01]", /not JSON/],
    ["NaN", "[NaN]", /not JSON/],
  ])("C-T2: %s", (_, text, message) => {
    const error = refusal(text)
    expect(error.code).toBe("bad-request")
    expect(error.message).toMatch(message)
    expect(error.message.length).toBeLessThan(400)
  })

  test("SEC-32: at the limit is accepted, one beyond is not", () => {
    const quoted = (bytes: number) => `"${"x".repeat(bytes)}"`
    expect(parseJson(nested(32))).toBeDefined()
    expect(refusal(nested(33)).message).toMatch(/deeper/)
    expect(Object.keys(parseJson(keys(5_000)) as object)).toHaveLength(5_000)
    expect(refusal(keys(5_001)).message).toMatch(/more than 5000 keys/)
    expect(parseJson(quoted(jsonLimits.stringBytes))).toHaveLength(4_194_304)
    expect(refusal(quoted(jsonLimits.stringBytes + 1)).code).toBe("payload-too-large")
    expect(refusal(quoted(jsonLimits.stringBytes + 1)).message).toMatch(/larger than 4194304 bytes/)
    expect(refusal(`{${quoted(jsonLimits.stringBytes + 1)}:1}`).message).toMatch(/larger than/)
    expect(parseJson("9007199254740991")).toBe(Number.MAX_SAFE_INTEGER)
    expect(parseJson("-9007199254740991")).toBe(Number.MIN_SAFE_INTEGER)
    expect(parseJson(`${" ".repeat(jsonLimits.bodyBytes - 2)}{}`)).toEqual({})
    expect(refusal(`${" ".repeat(jsonLimits.bodyBytes - 1)}{}`).code).toBe("payload-too-large")
  })

  test("SEC-32: string bytes are counted as UTF-8 after decoding", () => {
    expect(parseJson(`"${"é".repeat(2_097_152)}"`)).toHaveLength(2_097_152)
    expect(refusal(`"${"é".repeat(2_097_153)}"`).message).toMatch(/larger than/)
    expect(parseJson(`"${"\\u0041".repeat(2_500_000)}"`)).toHaveLength(2_500_000)
  })

  test("the same key in two objects, and what only looks dangerous, is fine", () => {
    const text = '{"a":{"id":1,"k":"__proto__"},"b":[{"id":2},{"id":3}],"c":"\\ud83d\\ude00 😀 \\\\u0000","n":1e-300}'
    expect(parseJson(text)).toEqual(JSON.parse(text))
  })
})

// An independent, slow reading of the rules over the parsed value and the text.
const tooBig = (n: number): boolean => !Number.isFinite(n) || (Number.isInteger(n) && !Number.isSafeInteger(n))
const badText = (s: string): boolean => s.includes("\0") || /\p{Surrogate}/u.test(s)
const FORBIDDEN = new Set(["__proto__", "prototype", "constructor"])
function isRefused(value: unknown): boolean {
  if (typeof value === "number") return tooBig(value)
  if (typeof value === "string") return badText(value)
  if (typeof value !== "object" || value === null) return false
  return Object.entries(value).some(
    ([k, v]) => badText(k) || (!Array.isArray(value) && FORBIDDEN.has(k)) || isRefused(v),
  )
}

const piece = fc.constantFrom(
  ...'{}[]:,"\\ue0-1.9 '.split(""),
  "\\u0000",
  "\\ud800",
  "\\udc00",
  '"a"',
  '"__proto__"',
  "null",
  "1e400",
  "\ud800",
  "12345678901234567890",
)
const anyText = fc.string({
  unit: fc.constantFrom("a", "\0", "\\", '"', "\ud800", "\udc00", "😀", "\n", "é"),
  maxLength: 6,
})
const anyJson = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, -1.5, 2 ** 53, 2 ** 53 - 1, 1e20, 1e21, 1e300),
    anyText,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(anyText, fc.constantFrom("constructor", "id", "prototype")), tie("value"), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
})).value

/** Writes some characters inside strings as \u escapes, as a hostile client might. */
function withEscapes(json: string, every: number): string {
  let inside = false
  return json.replace(/\\u[0-9a-f]{4}|\\.|"|[^\\"]/gis, (token, at: number) => {
    if (token === '"') inside = !inside
    const spell = inside && /^[a-zé_]$/.test(token) && at % every === 0
    return spell ? `\\u${token.charCodeAt(0).toString(16).padStart(4, "0")}` : token
  })
}

describe("a text that is stored and not looked at", () => {
  test.each([
    "{}",
    '{"a":1,"b":[true,false,null,-0.5,0],"c":{"d":"x"},"e":[],"f":{}}',
    ' { "a" : "é 😀 \\\\ \\" \\/ \\u0041 \\ud83d\\ude00" , "b" : [ 1 , 2 ] } ',
    '{"n":9007199254740991,"m":-4503599627370495.5}',
  ])("A-04: %s stays as it came", (text) => {
    expect(checkJson(text)).toBe(text)
  })

  test.each([
    ["laid out in lines", '{\n\t"a": 1\r\n}', '{"a":1}'],
    ["a zero that PostgreSQL cannot read", '{"n":0e-99999}', '{"n":0}'],
    ["a number with a thousand zeros", `{"n":0.3${"0".repeat(1_000)}}`, '{"n":0.3}'],
    ["an exponent", '{"n":1E5}', '{"n":100000}'],
  ])("A-04: what is unusual is written anew: %s", (_, text, stored) => {
    expect(checkJson(text)).toBe(stored)
  })

  /** What a judge says: the value that would be stored, or the words of its refusal. */
  const verdict = (text: string, judge: (text: string) => unknown): unknown => {
    try {
      return { stored: JSON.stringify(judge(text)) }
    } catch (error) {
      return (error as Error).message
    }
  }
  const same = (text: string): void => {
    expect(verdict(text, (given) => JSON.parse(checkJson(given)))).toEqual(verdict(text, parseJson))
  }

  test("A-04 SEC-33: it is judged as if it were parsed, in the same words", () => {
    fc.assert(
      fc.property(anyJson, fc.integer({ min: 1, max: 5 }), (value, every) => {
        const plain = JSON.stringify(value)
        for (const text of [plain, withEscapes(plain, every), JSON.stringify(value, null, 2)]) same(text)
      }),
      { numRuns: 2_000 },
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => same(pieces.join(""))),
      { numRuns: 20_000 },
    )
  })

  test("A-04: a text with one character too many, too few or wrong is never taken as it is", () => {
    const text = '{"a":[1,-2.5,"x\\n\\u0041"],"b":{"c":true,"d":null}}'
    for (let at = 0; at <= text.length; at++) {
      same(text.slice(0, at) + text.slice(at + 1))
      for (const c of [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"',
        "\\",
        "0",
        "-",
        ".",
        "e",
        "t",
        " ",
        "\n",
        "\u0001",
        "\ufeff",
      ]) {
        same(text.slice(0, at) + c + text.slice(at))
        same(text.slice(0, at) + c + text.slice(at + 1))
      }
    }
  })
})

describe("properties", () => {
  test("C-T2 SEC-33: accepts exactly what JSON.parse accepts minus what is refused, with the same value", () => {
    fc.assert(
      fc.property(anyJson, fc.integer({ min: 1, max: 5 }), (value, every) => {
        const plain = JSON.stringify(value)
        for (const text of [plain, withEscapes(plain, every), JSON.stringify(value, null, 2)]) {
          if (isRefused(JSON.parse(text))) expect(refusal(text).code).toBe("bad-request")
          else expect(parseJson(text)).toEqual(JSON.parse(text))
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test("C-T2 SEC-33: on any text it answers with JSON.parse's value or with a bad-request, never otherwise", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("")
        let value: unknown
        try {
          value = parseJson(text)
        } catch (error) {
          expect(error).toBeInstanceOf(EngineError)
          return
        }
        expect(value).toEqual(JSON.parse(text))
      }),
      { numRuns: 5_000 },
    )
  })

  test("SEC-33: what was accepted and written back is accepted again", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (n) => {
        if (tooBig(n)) expect(refusal(JSON.stringify(n)).code).toBe("bad-request")
        else expect(parseJson(JSON.stringify(parseJson(JSON.stringify(n))))).toBe(n === 0 ? 0 : n)
      }),
    )
  })

  test("SEC-39: a duplicate key is found at any place and however it is written", () => {
    const name = fc.constantFrom("a", "b", "c", "d")
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 6 }), fc.boolean(), (names, escaped) => {
        const text = `[0,{${names.map((n, i) => (escaped && i % 2 ? `"\\u00${n.charCodeAt(0).toString(16)}":${i}` : `"${n}":${i}`)).join()}}]`
        if (new Set(names).size < names.length) expect(refusal(text).message).toMatch(/given twice/)
        else expect(parseJson(text)).toEqual(JSON.parse(text))
      }),
    )
  })
})

// In linear time a few milliseconds each; a scan that begins anew at every character would outlast the limit of a test.
test("SEC-32: hostile bodies of 1 MB are answered in linear time", () => {
  const size = 1_000_000
  const bodies = ['"\\', '"\\"', "{", '"', "9", '{"a":"\\n",', "\\u00", "[0,", '"\\ud83d\\ude00'].map((part) =>
    part.repeat(size / part.length),
  )
  for (const body of bodies) {
    expect(refusal(body).status).toBe(400)
    expect(refusal(body, checkJson).status).toBe(400)
  }
})
