// The three names that an instance may have besides its id, explained where they stand.
export const KEYS = {
  key: "What it was started with: there is one run for each key and definition",
  businessKey: "What the instance is about, such as an order number: free again when the instance has ended",
  linkingId: "The event that it may wait for: an event with this id wakes it",
} as const
