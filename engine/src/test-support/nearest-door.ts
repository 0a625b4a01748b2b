// The door of the tests' PostgreSQL that costs an engine least: its socket, over which a statement takes two
// thirds of the CPU that it takes over loopback.

/** Set when the server has started. */
const SOCKET_DSN = "MILLRACE_TEST_SOCKET_DSN"

/** `dsn`: of the server that all tests share, with its socket where it has one. */
export function rememberSocket(dsn: string): void {
  process.env[SOCKET_DSN] = dsn
}

/** The same database over the socket. A DSN that leads elsewhere, such as to a proxy of the test, is left as it is. */
export function byNearestDoor(dsn: string): string {
  const url = new URL(dsn)
  const server = new URL(process.env[SOCKET_DSN] ?? dsn)
  const folder = server.searchParams.get("host")
  if (folder === null || url.host !== server.host || url.searchParams.has("host")) return dsn
  url.searchParams.set("host", folder)
  return url.href
}
