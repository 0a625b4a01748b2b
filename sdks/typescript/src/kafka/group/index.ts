// The consumer group that workers of Kafka and the engine share. No part of the public interface: it may change with any release.
export { monotonicClock } from "../../calls/clock.ts"
export { causeOf, innermostMessage, type KafkaCause, withInner } from "./cause-of.ts"
export { connectionOptions, loadClient } from "./connection-options.ts"
export { GroupConsumer } from "./group-consumer.ts"
export type { GroupMessage } from "./group-message.ts"
export { type HandleMessage, inOrder } from "./ordered-handlers.ts"
