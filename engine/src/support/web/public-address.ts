// Which addresses are public: those of machines on the Internet, and not of this machine, this network, or a tunnel into them.
import { networkList } from "@millrace/guard"

/** Set aside by the registries for special purposes. */
const SPECIAL = networkList([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // Teredo, documentation and 6to4: the last and the first carry an IPv4 address within.
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
])
/** IPv4, and what is handed out of IPv6: not NAT64, and not IPv4 written as IPv6. */
const HANDED_OUT = networkList(["0.0.0.0/1", "128.0.0.0/1", "2000::/3"])

export const isPublicAddress = (address: string): boolean => HANDED_OUT(address) && !SPECIAL(address)
