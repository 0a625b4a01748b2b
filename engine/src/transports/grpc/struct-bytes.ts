// What a JSON text weighs as a google.protobuf.Struct.
import { Struct } from "@millrace/sdk/proto"

export const structBytes = (json: string): number => Struct.encode(JSON.parse(json)).finish().length
