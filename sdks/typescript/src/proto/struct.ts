// google.protobuf.Struct and Value as plain objects: what the generated stubs call wherever variables travel.
//
// Written and read in one pass, without the tree of wrappers that a Struct is by its definition. The generated code would set the
// prototype of an object where a key is `__proto__`, and let numbers pass that JSON does not have.
import { type BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire"
import { StructReader } from "./struct-reader.ts"
import { StructWriter } from "./struct-writer.ts"

type Plain = { [key: string]: unknown }

const same = <T>(value: T): T => value

export const Struct = {
  encode: (message: Plain, writer: BinaryWriter = new BinaryWriter()): BinaryWriter =>
    writer.raw(new StructWriter().struct(message)),
  decode: (reader: BinaryReader, length: number): Plain => new StructReader(reader, length).struct(),
  wrap: same<Plain>,
  unwrap: same<Plain>,
}

/** A Value whose kind is not set is null. */
export const Value = {
  encode: (value: unknown, writer: BinaryWriter = new BinaryWriter()): BinaryWriter =>
    writer.raw(new StructWriter().value(value)),
  decode: (reader: BinaryReader, length: number): unknown => new StructReader(reader, length).value(),
  wrap: same<unknown>,
  unwrap: same<unknown>,
}
