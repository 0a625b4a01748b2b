// Who calls, behind proxies: what a client writes into a header never decides it.
import { describe, expect, test } from "vitest"
import { type Arrival, clientAddress, clientIp, type Proxies } from "./client-address.ts"
import { networkList } from "./network-list.ts"

const proxies: Proxies = { isTrusted: networkList(["10.0.0.0/8", "fd00::/8"]) }
const LONG = `${"6.6.6.6, ".repeat(1_800)}198.51.100.4`
const spoofed = Array.from({ length: 12 }, (_, at) => `10.0.0.${at}`).join(", ")

const cases: readonly (readonly [string, Arrival, string])[] = [
  ["no proxy", { peer: "203.0.113.9" }, "203.0.113.9"],
  ["a header from a peer that is no proxy", { peer: "203.0.113.9", forwardedFor: "1.2.3.4" }, "203.0.113.9"],
  ["Forwarded from a peer that is no proxy", { peer: "203.0.113.9", forwarded: "for=1.2.3.4" }, "203.0.113.9"],
  ["one proxy", { peer: "10.0.0.1", forwardedFor: "198.51.100.4" }, "198.51.100.4"],
  ["a proxy without a header", { peer: "10.0.0.1" }, "10.0.0.1"],
  ["a proxy with an empty header", { peer: "10.0.0.1", forwardedFor: "" }, "10.0.0.1"],
  [
    "an entry that the client made up on the left",
    { peer: "10.0.0.1", forwardedFor: "1.1.1.1, 198.51.100.4" },
    "198.51.100.4",
  ],
  [
    "a trusted address made up on the left",
    { peer: "10.0.0.1", forwardedFor: "10.9.9.9, 198.51.100.4" },
    "198.51.100.4",
  ],
  ["two proxies", { peer: "10.0.0.1", forwardedFor: "198.51.100.4, 10.0.0.2" }, "198.51.100.4"],
  ["several lines of the header", { peer: "10.0.0.1", forwardedFor: ["1.1.1.1", "198.51.100.4"] }, "198.51.100.4"],
  ["a port", { peer: "10.0.0.1", forwardedFor: "198.51.100.4:5678" }, "198.51.100.4"],
  ["IPv6 with brackets and a port", { peer: "10.0.0.1", forwardedFor: "[2001:db8::7]:5678" }, "2001:db8::/64"],
  ["IPv6 with brackets", { peer: "10.0.0.1", forwardedFor: "[2001:db8::7]" }, "2001:db8::/64"],
  ["IPv6 as it is", { peer: "10.0.0.1", forwardedFor: "2001:DB8:0:5:1::7" }, "2001:db8:0:5::/64"],
  ["another address of the same /64", { peer: "2001:db8:0:5:ffff:ffff:ffff:ffff" }, "2001:db8:0:5::/64"],
  ["the neighbouring /64", { peer: "2001:db8:0:6::1" }, "2001:db8:0:6::/64"],
  ["IPv4 written as IPv6", { peer: "::ffff:203.0.113.9" }, "203.0.113.9"],
  ["IPv4 written as IPv6 in hexadecimal", { peer: "::ffff:cb00:7109" }, "203.0.113.9"],
  ["IPv4 written as IPv6 in full", { peer: "0:0:0:0:0:ffff:203.0.113.9" }, "203.0.113.9"],
  ["a proxy that comes as IPv6", { peer: "::ffff:10.0.0.1", forwardedFor: "::FFFF:198.51.100.4" }, "198.51.100.4"],
  ["a zone id", { peer: "fe80::1%eth0" }, "fe80::/64"],
  ["a zone id in the header", { peer: "10.0.0.1", forwardedFor: "fe80::2%25eth0" }, "fe80::/64"],
  ["a proxy of IPv6", { peer: "fd00::5", forwardedFor: "198.51.100.4" }, "198.51.100.4"],
  ["garbage", { peer: "10.0.0.1", forwardedFor: "not-an-address" }, "10.0.0.1"],
  ["garbage on the left of the client", { peer: "10.0.0.1", forwardedFor: "<script>, 198.51.100.4" }, "198.51.100.4"],
  ["garbage behind a second proxy", { peer: "10.0.0.1", forwardedFor: "198.51.100.4, ???, 10.0.0.2" }, "10.0.0.2"],
  ["octal and short forms", { peer: "10.0.0.1", forwardedFor: "0301.051.0144.4" }, "10.0.0.1"],
  ["an empty entry", { peer: "10.0.0.1", forwardedFor: "198.51.100.4, ," }, "10.0.0.1"],
  ["a header of 16 KB", { peer: "10.0.0.1", forwardedFor: LONG }, "198.51.100.4"],
  ["a hop that is cut off by the length", { peer: "10.0.0.1", forwardedFor: `1${"9".repeat(2046)},` }, "10.0.0.1"],
  ["more than ten trusted hops", { peer: "10.0.0.1", forwardedFor: `198.51.100.4, ${spoofed}` }, "10.0.0.2"],
  ["trusted hops to the very left", { peer: "10.0.0.1", forwardedFor: "10.0.0.3, 10.0.0.2" }, "10.0.0.3"],
  ["Forwarded alone, which a client may have sent", { peer: "10.0.0.1", forwarded: "for=1.1.1.1" }, "10.0.0.1"],
  ["both headers", { peer: "10.0.0.1", forwardedFor: "198.51.100.4", forwarded: "for=1.1.1.1" }, "198.51.100.4"],
  ["a socket that is gone", { peer: undefined }, "0.0.0.0"],
]

const standard: readonly (readonly [string, Arrival, string])[] = [
  ["an address", { peer: "10.0.0.1", forwarded: "for=198.51.100.4;proto=https;by=10.0.0.1" }, "198.51.100.4"],
  ["quotes", { peer: "10.0.0.1", forwarded: 'by=x; For="[2001:db8::7]:80", for=10.0.0.2' }, "2001:db8::/64"],
  ["a client that is hidden", { peer: "10.0.0.1", forwarded: "for=_hidden" }, "10.0.0.1"],
  ["no for", { peer: "10.0.0.1", forwarded: "proto=https" }, "10.0.0.1"],
  ["nothing", { peer: "10.0.0.1", forwardedFor: "1.1.1.1" }, "10.0.0.1"],
]

describe("SEC-04, E-X7: the client's address", () => {
  test.each(standard)("where the proxies write Forwarded, with %s in it", (_, arrival, expected) => {
    expect(clientAddress(arrival, { ...proxies, header: "forwarded" })).toBe(expected)
  })

  test.each(cases)("%s", (_, arrival, expected) => {
    expect(clientAddress(arrival, proxies)).toBe(expected)
  })

  test("where the proxies write Forwarded, an X-Forwarded-For of the client is not read, and the other way round", () => {
    const arrival = { peer: "10.0.0.1", forwardedFor: "1.1.1.1", forwarded: "for=198.51.100.4" }
    expect(clientAddress(arrival, { ...proxies, header: "forwarded" })).toBe("198.51.100.4")
    expect(clientAddress(arrival, { ...proxies, header: "x-forwarded-for" })).toBe("1.1.1.1")
    expect(clientAddress({ ...arrival, forwardedFor: undefined }, { ...proxies, header: "x-forwarded-for" })).toBe(
      "10.0.0.1",
    )
  })

  test("the address itself is whole", () => {
    expect(clientIp({ peer: "2001:db8::7" }, proxies)).toBe("2001:db8::7")
  })
})
