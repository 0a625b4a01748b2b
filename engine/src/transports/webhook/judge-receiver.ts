// Which addresses may receive events: public ones by TLS, and those in networks that the operator has named.
import { networkList } from "@millrace/guard"
import type { JudgeAddress } from "../../support/web/post-json.ts"
import { isPublicAddress } from "../../support/web/public-address.ts"

const SETTING = "WE_EVENT_WEBHOOK_NETWORKS"

/** A name that leads into the own network would otherwise let events, and calls, reach what trusts that network. */
export function judgeReceiver(url: string, networks: readonly string[]): JudgeAddress {
  const isNamed = networkList(networks)
  const isPlain = new URL(url).protocol === "http:"
  return (address) => {
    if (isNamed(address)) return undefined
    if (!isPublicAddress(address)) return `${address} is not a public address: name its network in ${SETTING}`
    return isPlain ? `${address} is reached without TLS: use https, or name its network in ${SETTING}` : undefined
  }
}
