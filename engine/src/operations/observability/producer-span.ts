// The span of an operation that makes jobs: the workers of those jobs continue its trace.
import { type Attributes, errorType, failSpan, openSpan, traceOf } from "../../support/spans.ts"

interface Asked {
  readonly trace?: string | undefined
}

interface Producing<Request, Made> {
  /** The operation. */
  readonly name: string
  readonly attributes: Attributes
  /** With the new span in place of where it was asked for. */
  readonly work: (request: Request) => Promise<Made>
  readonly made: (made: Made) => Attributes
}

/** Call it only while a tracer is registered. */
export async function producing<Request extends Asked, Made>(
  request: Request,
  { name, attributes, work, made }: Producing<Request, Made>,
): Promise<Made> {
  const span = openSpan({ name, kind: "producer", parent: request.trace, attributes: { ...SENDS, ...attributes } })
  try {
    const result = await work({ ...request, trace: traceOf(span) })
    span.setAttributes(made(result))
    return result
  } catch (error) {
    failSpan(span, errorType(error))
    throw error
  } finally {
    span.end()
  }
}

const SENDS = { "messaging.system": "millrace", "messaging.operation.type": "send" }
