// What to do about a gRPC connection that failed: nothing listens there, or it speaks something else.

/** A sentence to put after the reason, or nothing. */
export function connectionAdvice(reason: string, url: string): string {
  const { host, port, protocol } = new URL(url)
  if (/ECONNREFUSED/.test(reason))
    return `. Is the engine running, and is ${port || "this"} its gRPC port? It is 9090 unless told otherwise`
  if (/application protocol/i.test(reason)) return `. It speaks TLS, but not ${schemeAdvice(protocol, host)}`
  if (/CERT|certificate/i.test(reason)) return ". Name the authority that signed the certificate in NODE_EXTRA_CA_CERTS"
  if (protocol === "grpcs:" && /wrong version number|SSL|EPROTO|TLS/i.test(reason))
    return `. It does not speak TLS: use grpc://${host}`
  // A server with TLS closes a plaintext connection without a word.
  if (/Protocol error|ECONNRESET|ERR_HTTP2|socket hang up|closed/i.test(reason))
    return `. It does not speak ${schemeAdvice(protocol, host)}; gRPC is on 9090 and REST on 8080 unless told otherwise`
  return ""
}

const schemeAdvice = (protocol: string, host: string): string =>
  protocol === "grpcs:"
    ? `gRPC: use https://${host} if it is the REST port`
    : `plaintext gRPC: use grpcs://${host} if it speaks TLS, http://${host} if it is the REST port`
