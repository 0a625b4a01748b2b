// The upstream of the gateway's measurement: the same small answer to everything.
import { createServer } from "node:http"

const BODY = JSON.stringify({ id: 7, name: "bellows", price: 11, text: "x".repeat(400) })
const server = createServer((_, response) =>
  response.writeHead(200, { "content-type": "application/json", "content-length": BODY.length }).end(BODY),
)
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`))
