// The settings of events: where the engine sends them, and how. Nothing of it is loaded while no sink is named.

import { isNetwork, networksFault } from "@millrace/guard"
import { isWebUrl } from "./addresses.ts"
import { duration, integer, list, text } from "./kinds.ts"

const SINKS: readonly string[] = ["kafka", "webhook"]
/** Shorter ones can be guessed by trying. */
const SHORTEST_SECRET = 24

export const eventSettings = {
  eventSinks: list({
    name: "WE_EVENT_SINKS",
    default: [],
    allowed: `${SINKS.join(" or ")}, or both separated by a comma`,
    accepts: (name) => SINKS.includes(name),
    doc: "Where the engine sends published events: kafka (WE_KAFKA_…), webhook (WE_EVENT_WEBHOOK_…); empty is nowhere.",
  }),
  eventWebhookUrl: text<string | undefined>({
    name: "WE_EVENT_WEBHOOK_URL",
    default: undefined,
    secret: true,
    allowed: "a URL such as https://hooks.example.com/millrace, without a user and a password in it",
    accepts: (url) => isWebUrl(url) && new URL(url).username === "" && new URL(url).password === "",
    // The rest of it may be a token.
    show: (url) => `${new URL(url).origin}/****`,
    doc: "Where each event is posted as JSON, with webhook in WE_EVENT_SINKS. https, unless its address is in WE_EVENT_WEBHOOK_NETWORKS.",
  }),
  eventWebhookSecret: text<string | undefined>({
    name: "WE_EVENT_WEBHOOK_SECRET",
    default: undefined,
    secret: true,
    allowed: `a text of at least ${SHORTEST_SECRET} characters, such as whsec_ and the output of: openssl rand -base64 32`,
    accepts: (secret) => secret.length >= SHORTEST_SECRET,
    show: () => "****",
    doc: "What posted events are signed with; the receiver verifies by it. From the environment only.",
  }),
  eventWebhookNetworks: list({
    name: "WE_EVENT_WEBHOOK_NETWORKS",
    default: [],
    allowed: "networks such as 10.0.0.0/8 or fd00::/8, not all addresses, separated by commas",
    accepts: isNetwork,
    fault: networksFault,
    doc: "Networks that are not public and may receive events by webhook. Public addresses need not be named.",
  }),
  eventWebhookTimeoutMs: duration({
    name: "WE_EVENT_WEBHOOK_TIMEOUT",
    default: "10s",
    min: "100ms",
    max: "1m",
    doc: "Time the receiver has to answer to one event.",
  }),
  eventWebhookTries: integer({
    name: "WE_EVENT_WEBHOOK_TRIES",
    default: 20,
    min: 1,
    max: 1_000,
    unit: "tries",
    doc: "How often an event is posted that the receiver fails on (after 1, 2, 4 … 60 s) before it waits for an operator.",
  }),
  outboxHighWatermark: integer({
    name: "WE_OUTBOX_HIGH_WATERMARK",
    default: 10_000_000,
    min: 1,
    max: 1_000_000_000_000,
    unit: "events",
    doc: "Events that may wait for the slowest sink before publishing is refused. It is kept in the database: the last start that sets it counts.",
  }),
} as const
