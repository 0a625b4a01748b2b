// The addresses of a client: one, a list, or a text with commas; all of one transport.

const SCHEMES = new Set(["http:", "https:", "grpc:", "grpcs:"])

export const isGrpc = (url: string): boolean => url.startsWith("grpc")

export function readUrls(name: string, given: string | readonly string[]): readonly string[] {
  const urls = [given].flat().flatMap((text) =>
    String(text)
      .split(",")
      .map((one) => one.trim()),
  )
  for (const url of urls)
    if (!URL.canParse(url) || !SCHEMES.has(new URL(url).protocol) || new URL(url).host === "")
      throw new TypeError(`${name} must be an http, https, grpc or grpcs address, got "${url}"`)
  if (new Set(urls.map(isGrpc)).size > 1)
    throw new TypeError(`${name} names REST and gRPC: give gRPC as url and REST as restUrl`)
  return urls
}
