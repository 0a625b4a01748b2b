// A UUID that is made of a name: the same name gives the same id, in every process and language.
import { createHash } from "node:crypto"

/** The namespace of URLs, as RFC 9562 gives it. */
const URL_NAMESPACE = Buffer.from("6ba7b8119dad11d180b400c04fd430c8", "hex")

export function uuidV5(name: string): string {
  const bytes = createHash("sha1").update(URL_NAMESPACE).update(name).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}
