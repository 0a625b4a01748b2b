// Events: how far each sink has come, who sends to it, and what it did not take, with the way on for that.
import { useQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { sinksQuery } from "../../api/events.ts"
import { Card, Page } from "../../kit/page.tsx"
import { Empty, Loaded } from "../../kit/states.tsx"
import { Table } from "../../kit/table.tsx"
import { ParkedEvents } from "./parked-events.tsx"
import { SINK_COLUMNS } from "./sink-columns.tsx"

const route = getRouteApi("/events")

export function EventsScreen() {
  const { sink, cursor } = route.useSearch()
  const query = useQuery({ ...sinksQuery, meta: { live: true } })
  return (
    <Page
      title="Events"
      lead="What has happened, sent to each sink in the order of its key. What a sink does not take is parked, and the rest goes on."
    >
      <Card title="Sinks" flush>
        <Loaded query={query}>
          {(sinks) =>
            sinks.length === 0 ? (
              <NoSinks />
            ) : (
              <Table caption="Sinks" columns={SINK_COLUMNS} rows={sinks} keyOf={({ name }) => name} />
            )
          }
        </Loaded>
      </Card>
      <Card
        title={sink === undefined ? "Parked" : `Parked for ${sink}`}
        actions={sink !== undefined && <Link to="/events">Show all sinks</Link>}
        flush
      >
        <ParkedEvents sink={sink} cursor={cursor} />
      </Card>
    </Page>
  )
}

const SUBSCRIBE = `await mill.on("payment.initiated", async ({ id, payload }) => {
  await settle(payload, { idempotencyKey: id })
})`

const NoSinks = () => (
  <Empty title="No sink is registered." code={SUBSCRIBE}>
    Events that are published are kept until one is. A function in your process is one; <code>WE_EVENT_SINKS</code>{" "}
    sends to Kafka or to a webhook.
  </Empty>
)
