// Which addresses a trusted network has.
import { describe, expect, test } from "vitest"
import { trustNetworks } from "./trusted-networks.ts"

const find = trustNetworks(["10.0.0.0/8", "192.168.7.9", "fd00:1::/32", "2001:db8::5"], ["jobs:work"])!

describe("W-05: a trusted network", () => {
  test.each(["10.0.0.1", "10.255.255.255", "::ffff:10.1.2.3", "::FFFF:10.1.2.3", "::ffff:a01:203", "192.168.7.9"])(
    "W-05: has %s",
    (address) => {
      expect(find(address)).toEqual({
        id: "trusted-network",
        name: "trusted network",
        scopes: ["jobs:work"],
        subject: "network:trusted",
      })
    },
  )

  test.each(["fd00:1::1", "fd00:1:ffff::", "FD00:1::1", "2001:db8::5", "fd00:1::1%eth0"])("W-05: has %s", (address) => {
    expect(find(address)?.name).toBe("trusted network")
  })

  test.each([
    "11.0.0.1",
    "9.255.255.255",
    "192.168.7.10",
    "::ffff:11.0.0.1",
    "fd00:2::1",
    "2001:db8::6",
    "::1",
    "127.0.0.1",
    "",
    "10.0.0",
    "10.0.0.1, 11.0.0.1",
    "localhost",
    undefined,
  ])("W-05: does not have %s", (address) => {
    expect(find(address)).toBeUndefined()
  })

  test("W-05: is off where none is named", () => {
    expect(trustNetworks([], ["jobs:work"])).toBeUndefined()
  })
})
