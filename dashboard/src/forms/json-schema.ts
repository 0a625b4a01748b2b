// The part of JSON Schema that forms understand. It is more than the engine's own schemas can say: others write it, too.
export interface JsonSchema {
  readonly type?: unknown
  readonly title?: unknown
  readonly description?: unknown
  readonly default?: unknown
  readonly enum?: unknown
  readonly format?: unknown
  readonly properties?: unknown
  readonly required?: unknown
  readonly items?: unknown
  readonly minimum?: unknown
  readonly maximum?: unknown
  readonly minLength?: unknown
  readonly maxLength?: unknown
}
