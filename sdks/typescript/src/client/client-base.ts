// What the parts of the client have in common: how they ask.
import type { OperationCaller } from "../calls/operation-caller.ts"

export class ClientBase {
  /** Not for callers of the package. */
  protected readonly operations: OperationCaller

  constructor(operations: OperationCaller) {
    this.operations = operations
  }
}
