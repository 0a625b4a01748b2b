// What a job type and a downstream may be called: the names by which work finds its way.

const ROUTING_NAME = /^[A-Za-z0-9_:.-]{1,200}$/

export const isRoutingName = (value: unknown): value is string => typeof value === "string" && ROUTING_NAME.test(value)

/** What to write instead, for the hint of a violation. */
export const ROUTING_NAME_HINT = "use 1 to 200 letters, digits, _, :, . and -"
