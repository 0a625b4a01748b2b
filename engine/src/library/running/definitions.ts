// Definitions written as JSON, from your own process.
import { type DefinitionSummary, uploadDefinition } from "../../operations/definitions/upload-definition.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { tellInCatalogue } from "./catalogue-errors.ts"
import { checkDocument } from "./check-input.ts"

const ACTOR = "local"

export class Definitions {
  static {
    tellInCatalogue(Definitions)
  }
  readonly #kernel: Kernel

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  /** Makes a new version, unless the newest has the same content. All violations are reported together, in `details`. */
  async upload(document: object): Promise<DefinitionSummary> {
    const request = { document: checkDocument(document), actor: ACTOR }
    return (await uploadDefinition(this.#kernel, request)).outcome
  }
}
