// Reads an image of .proto files as far as reflection asks: each file's name, what it imports, and the names that it defines.
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire"

export interface DescriptorFile {
  readonly name: string
  readonly dependencies: readonly string[]
  readonly services: readonly string[]
  /** Full names of services, methods, messages and enums. */
  readonly symbols: ReadonlySet<string>
  /** A FileDescriptorProto. */
  readonly bytes: Uint8Array
}

/** Field numbers of descriptor.proto. */
const SET = { file: 1 }
const FILE = { name: 1, package: 2, dependency: 3, message: 4, enum: 5, service: 6 }
const MESSAGE = { name: 1, nested: 3, enum: 4 }
const SERVICE = { name: 1, method: 2 }

export const readDescriptors = (image: Uint8Array): readonly DescriptorFile[] =>
  (fieldsOf(image).get(SET.file) ?? []).map(readFile)

function readFile(bytes: Uint8Array): DescriptorFile {
  const fields = fieldsOf(bytes)
  const within = (name: string) => [textOf(fields, FILE.package), name].filter(Boolean).join(".")
  const services = list(fields, FILE.service).map((service) => within(textOf(service, SERVICE.name)))
  const methods = list(fields, FILE.service).flatMap((service, at) =>
    list(service, SERVICE.method).map((method) => `${services[at]}.${textOf(method, 1)}`),
  )
  const messages = list(fields, FILE.message).flatMap((message) => messageNames(message, within("")))
  const enums = list(fields, FILE.enum).map((one) => within(textOf(one, 1)))
  return {
    name: textOf(fields, FILE.name),
    dependencies: (fields.get(FILE.dependency) ?? []).map(decode),
    services,
    symbols: new Set([...services, ...methods, ...messages, ...enums]),
    bytes,
  }
}

function messageNames(message: Fields, scope: string): string[] {
  const name = `${scope}${scope === "" || scope.endsWith(".") ? "" : "."}${textOf(message, MESSAGE.name)}`
  const nested = list(message, MESSAGE.nested).flatMap((inner) => messageNames(inner, name))
  return [name, ...nested, ...list(message, MESSAGE.enum).map((one) => `${name}.${textOf(one, 1)}`)]
}

type Fields = ReadonlyMap<number, readonly Uint8Array[]>

/** What has a length, by field number; numbers are of no interest here. */
function fieldsOf(bytes: Uint8Array): Fields {
  const reader = new BinaryReader(bytes)
  const fields = new Map<number, Uint8Array[]>()
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag()
    if (type !== WireType.LengthDelimited) reader.skip(type)
    else fields.set(field, [...(fields.get(field) ?? []), reader.bytes()])
  }
  return fields
}

const decode = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8")
const textOf = (fields: Fields, field: number): string => decode(fields.get(field)?.at(-1) ?? new Uint8Array())
const list = (fields: Fields, field: number): readonly Fields[] => (fields.get(field) ?? []).map(fieldsOf)
