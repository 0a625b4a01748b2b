// One text for each address, and the lists of networks that they are looked up in.
import { describe, expect, test } from "vitest"
import { addressKey, plainAddress } from "./ip-address.ts"
import { networkList } from "./network-list.ts"
import { isNetwork, networksFault } from "./networks.ts"

describe("an address as it is counted", () => {
  test.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::FFFF:203.0.113.7", "203.0.113.7"],
    ["2001:db8::1", "2001:db8::/64"],
    ["2001:db8::/64", "2001:db8::/64"],
    ["2001:0DB8:0000:0000:1::", "2001:db8::/64"],
    ["::1", "::/64"],
    ["10.0.0.0/64", undefined],
    ["10.0.0.0/8", undefined],
    ["203.0.113.7.", undefined],
    ["Ada", undefined],
    ["", undefined],
  ])("SEC-04: %s is %s", (text, expected) => {
    expect(addressKey(text)).toBe(expected)
  })

  test("IPv6 that only looks like a mapped address stays IPv6", () => {
    expect(plainAddress("::fffe:1:2")).toBe("::fffe:1:2")
  })
})

describe("networks", () => {
  test("an address is within a network however it is written", () => {
    const isWithin = networkList(["10.0.0.0/8", "192.0.2.7", "fd00::/8", "2001:db8::1"])
    const inside = ["10.1.2.3", "::ffff:10.1.2.3", "::ffff:a01:203", "192.0.2.7", "fd00::1%eth0", "2001:DB8::1"]
    expect(inside.filter((address) => !isWithin(address))).toEqual([])
    const outside = ["11.0.0.1", "192.0.2.8", "2001:db8::2", "", "nonsense", undefined]
    expect(outside.filter((address) => isWithin(address))).toEqual([])
    expect([...inside, ...outside].filter((address) => networkList([])(address))).toEqual([])
  })

  test.each(["10.0.0.0/8", "192.0.2.7", "fd00::/8", "::1/128"])("%s is a network", (text) => {
    expect(isNetwork(text)).toBe(true)
  })

  test.each(["10.0.0.0/0", "10.0.0.0/33", "10.0.0.0/8/8", "fe80::1%eth0", "ada", "10.0.0.0/08", "10.0.0.0/"])(
    "%s is none",
    (text) => {
      expect(isNetwork(text)).toBe(false)
    },
  )

  test("a network that is an address within one is named as it should be written", () => {
    expect(networksFault(["10.1.2.3/8"])).toContain("write 10.0.0.0/8")
    expect(networksFault(["fd00::1/8"])).toContain("write fd00::/8")
  })

  test("networks that together are all addresses are refused", () => {
    expect(networksFault(["128.0.0.0/1", "0.0.0.0/1"])).toContain("all addresses")
    expect(networksFault(["2000::/3"])).toContain("all addresses")
    expect(networksFault(["0.0.0.0/1", "10.0.0.0/8", "192.0.2.1"])).toBeUndefined()
  })
})
