// Makes messages of the gRPC contract from the dice: fields that fit, names that were learned, and now and then a harmed one.
import { kindOf } from "../values/memory.ts"
import { oddNumber, oddText } from "../values/odd-values.ts"
import { type Maker, valueFor } from "../values/schema-values.ts"
import { type ProtoField, type ProtoSchema, TYPE } from "./proto-schema.ts"
import { VARINT, writeBytes, writeDouble, writeNumber, writeTag } from "./wire-format.ts"

export interface MessageMaker extends Maker {
  readonly proto: ProtoSchema
  /** The probability that a field is harmed. */
  readonly harm: number
  /** What an `id` at the top is. */
  readonly idKind: string
}

const DEEPEST = 5
/** proto3 knows no required fields: without these nearly every request would be refused for the same reason. */
const NEEDED = /^(id|.*_id|lease_token|job_types|error_message|open)$/
const STATUSES = [0, 0, 100, 429, 503]
const IDS: Readonly<Record<string, string>> = {
  ".workflow.v1.WorkflowDefinition": "definitionId",
  ".workflow.v1.WorkflowStep": "stepId",
}

export function makeMessage(maker: MessageMaker, type: string, depth = 0): Buffer {
  const { dice, proto } = maker
  const share = depth > DEEPEST ? 0.1 : dice.pick([0.3, 0.7, 1])
  const fields = (proto.messages.get(type) ?? []).filter(({ name }) => dice.chance(NEEDED.test(name) ? 0.97 : share))
  const idKind = IDS[type] ?? maker.idKind
  return Buffer.concat(fields.flatMap((field) => repeated({ ...maker, idKind }, field, depth)))
}

function repeated(maker: MessageMaker, field: ProtoField, depth: number): Buffer[] {
  const times = field.isRepeated ? maker.dice.pick(depth > DEEPEST ? [0] : [0, 1, 1, 2]) : 1
  return Array.from({ length: times }, () =>
    maker.dice.chance(maker.harm) ? harmedField(maker, field) : goodField(maker, field, depth),
  )
}

function goodField(maker: MessageMaker, { number, type, typeName, name }: ProtoField, depth: number): Buffer {
  const { dice, proto } = maker
  if (type === TYPE.message)
    return writeBytes(number, depth > DEEPEST ? Buffer.alloc(0) : makeMessage(maker, typeName, depth + 1))
  if (type === TYPE.text) return writeBytes(number, Buffer.from(textFor(maker, name)))
  if (type === TYPE.bytes) return writeBytes(number, Buffer.from("{}"))
  if (type === TYPE.double) return writeDouble(number, dice.pick([0, 1, 0.5, 30, 4_200]))
  if (type === TYPE.bool) return writeNumber(number, BigInt(dice.between(0, 1)))
  if (type === TYPE.enum) return writeNumber(number, BigInt(dice.pick([...(proto.enums.get(typeName) ?? [0])])))
  if (name === "downstream_status") return writeNumber(number, BigInt(dice.pick(STATUSES)))
  return writeNumber(number, BigInt(name === "wait_seconds" ? 0 : dice.pick([0, 1, 2, 5, 30, 60])))
}

const textFor = (maker: MessageMaker, name: string): string =>
  String(
    valueFor(
      maker,
      { type: "string", maxLength: 200 },
      { name: name === "id" ? maker.idKind : kindOf(name), depth: 0 },
    ),
  )

/** A field of another type, with an odd value, or with a number that the contract does not have. */
function harmedField({ dice }: MessageMaker, { number, type }: ProtoField): Buffer {
  const how = dice.between(0, 5)
  if (how === 0) return writeNumber(number, BigInt(dice.pick([0, 1, 2 ** 31, -1, Number.MAX_SAFE_INTEGER])))
  if (how === 1) return writeBytes(number, Buffer.from(oddText(dice)))
  if (how === 2) return writeBytes(number, Buffer.from([0xff, 0xfe, 0xed, 0xa0, 0x80]))
  if (how === 3) return writeDouble(number, dice.pick([Number.NaN, Infinity, -0, oddNumber(dice)]))
  if (how === 4) return writeBytes(dice.pick([0, 99, 1_000, 536_870_911]), Buffer.from("x"))
  return type === TYPE.message
    ? writeBytes(number, Buffer.from([0x0a]))
    : Buffer.concat([writeTag(number, VARINT), Buffer.alloc(11, 0xff)])
}
