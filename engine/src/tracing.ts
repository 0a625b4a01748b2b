// Turns tracing on where the environment says where spans are to go. OpenTelemetry's SDK is loaded then, and only then.
import { context, DiagLogLevel, diag, trace } from "@opentelemetry/api"
import type { Sampler } from "@opentelemetry/sdk-trace"
import type { Logger } from "./support/log.ts"
import { isTracing } from "./support/spans.ts"

export interface Tracing {
  /** Sends what has not been sent, as far as there is time. */
  stop(): Promise<void>
}

/** A collector that is away must not keep a process from ending. */
const FLUSH_MS = 5_000

/** Undefined where it was not asked for, or the program around the engine has set it up. */
export async function startTracing(log: Logger, env: NodeJS.ProcessEnv = process.env): Promise<Tracing | undefined> {
  if (!isAskedFor(env)) return undefined
  if (isTracing()) {
    log.info("a tracer is registered already: spans go where it sends them")
    return undefined
  }
  diag.setLogger(diagnosticsTo(log), DiagLogLevel.WARN)
  const provider = await openProvider(env)
  const { AsyncLocalStorageContextManager } = await loadPackages()
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(provider)
  log.info("spans are sent by OTLP")
  return { stop: () => stopTracing(provider, log) }
}

const PACKAGES = ["sdk-trace", "exporter-trace-otlp-http", "resources", "context-async-hooks"]

/** They come with their user and not with the engine: most engines send no spans. */
async function loadPackages() {
  try {
    const [sdk, exporter, resources, hooks] = await Promise.all([
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
      import("@opentelemetry/context-async-hooks"),
    ])
    return { sdk, ...exporter, ...resources, ...hooks }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error
    const names = PACKAGES.map((name) => `@opentelemetry/${name}`).join(" ")
    throw new Error(
      `OTEL_EXPORTER_OTLP_ENDPOINT is set, but packages that send spans are missing: npm install ${names}`,
    )
  }
}

const isAskedFor = (env: NodeJS.ProcessEnv): boolean =>
  Boolean(env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT) &&
  env.OTEL_SDK_DISABLED?.toLowerCase() !== "true" &&
  env.OTEL_TRACES_EXPORTER !== "none"

/** The exporter reads its own variables: address, headers, certificates, timeout, compression. */
async function openProvider(env: NodeJS.ProcessEnv) {
  const { sdk, OTLPTraceExporter, detectResources, envDetector, resourceFromAttributes } = await loadPackages()
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say more.
  const resource = resourceFromAttributes({ "service.name": "millrace" }).merge(
    detectResources({ detectors: [envDetector] }),
  )
  const exporter = new OTLPTraceExporter()
  return new sdk.TracerProvider({
    resource,
    sampler: samplerOf(sdk, env),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  })
}

/** OTEL_TRACES_SAMPLER, which the SDK leaves to us: by default everything, unless the caller has decided otherwise. */
function samplerOf(sdk: typeof import("@opentelemetry/sdk-trace"), env: NodeJS.ProcessEnv): Sampler {
  const [, basis, name] = /^(parentbased_)?(.*)$/.exec(env.OTEL_TRACES_SAMPLER || "parentbased_always_on") ?? []
  const root = rootSampler(sdk, name, env.OTEL_TRACES_SAMPLER_ARG)
  return basis ? new sdk.ParentBasedSampler({ root }) : root
}

function rootSampler(sdk: typeof import("@opentelemetry/sdk-trace"), name: string | undefined, share = "1"): Sampler {
  if (name === "always_off") return new sdk.AlwaysOffSampler()
  if (name === "traceidratio") return new sdk.TraceIdRatioBasedSampler(Number(share))
  if (name !== "always_on") diag.warn(`OTEL_TRACES_SAMPLER: no sampler is called ${name}; all traces are taken`)
  return new sdk.AlwaysOnSampler()
}

/** What goes wrong on the way out is worth a line; details may quote what was sent. */
function diagnosticsTo(log: Logger) {
  const say = (message: string) => log.warn({ tracing: message }, "spans may not arrive")
  const nothing = () => {}
  return { error: say, warn: say, info: nothing, debug: nothing, verbose: nothing }
}

async function stopTracing(provider: { shutdown(): Promise<void> }, log: Logger): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the collector did not take the last spans in time")), FLUSH_MS)
  })
  try {
    await Promise.race([provider.shutdown(), late])
  } catch (error) {
    log.warn({ err: error }, "the last spans were not sent")
  } finally {
    clearTimeout(timer)
    trace.disable()
    context.disable()
    diag.disable()
  }
}
