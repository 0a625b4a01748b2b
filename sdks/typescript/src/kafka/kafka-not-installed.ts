// The error of a KafkaRunner without Kafka's client.

/** Jobs were asked for through Kafka, and the package that speaks to it is not installed. */
export class KafkaNotInstalledError extends Error {
  override readonly name: string = "KafkaNotInstalledError"
}
