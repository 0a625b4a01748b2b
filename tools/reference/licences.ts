// docs/reference/licences.md: what the engine and the four SDKs bring along, and under which licence.
import { read, readJson } from "../files.ts"
import { code, page, table } from "./table.ts"

interface Locked {
  readonly version: string
  readonly license?: string
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly link?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
}

/** What the build of the dashboard puts into its files, with all that these need: it is shipped, though no package is. */
const COMPILED = [
  "@dagrejs/dagre",
  "@fontsource-variable/inter",
  "@fontsource-variable/jetbrains-mono",
  "@tanstack/react-query",
  "@tanstack/react-router",
  "@xyflow/react",
  "react",
  "react-dom",
  "tailwindcss",
  "uplot",
]

/** Of packages whose manifests do not carry it; a new one has to be added here, or the page cannot be made. */
const LICENCES: Readonly<Record<string, string>> = {
  "com.google.protobuf:protobuf-java": "BSD-3-Clause",
  "confluent-kafka": "Apache-2.0",
  "github.com/klauspost/compress": "BSD-3-Clause, Apache-2.0 and MIT",
  "github.com/pierrec/lz4/v4": "BSD-3-Clause",
  "github.com/twmb/franz-go": "BSD-3-Clause",
  "github.com/twmb/franz-go/pkg/kmsg": "BSD-3-Clause",
  "golang.org/x/net": "BSD-3-Clause",
  "golang.org/x/sys": "BSD-3-Clause",
  "golang.org/x/text": "BSD-3-Clause",
  "google.golang.org/genproto/googleapis/rpc": "Apache-2.0",
  "google.golang.org/grpc": "Apache-2.0",
  "google.golang.org/protobuf": "BSD-3-Clause",
  "googleapis-common-protos": "Apache-2.0",
  grpcio: "Apache-2.0",
  httpx: "BSD-3-Clause",
  "io.grpc:grpc-netty-shaded": "Apache-2.0",
  "io.grpc:grpc-protobuf": "Apache-2.0",
  "io.grpc:grpc-stub": "Apache-2.0",
  "org.apache.kafka:kafka-clients": "Apache-2.0",
  protobuf: "BSD-3-Clause",
}

export const licencesPage = (): string =>
  page("Licences", "package-lock.json, go.mod, pom.xml and pyproject.toml", [
    "Millrace is under the MIT licence. This is what it brings along where it runs; what only builds and tests it is not here.",
    "## npm: the engine and the TypeScript SDK\n\nThe SDK brings none over REST, `@bufbuild/protobuf` over gRPC, and `@platformatic/kafka` with a KafkaRunner.",
    table(["package", "version", "licence"], npmRows()),
    "## The dashboard\n\nCompiled into its files; no package is installed. The two fonts come with their licences, under `ui/licences/`.",
    table(["package", "version", "licence"], compiledRows()),
    "## Go\n\nNone over REST. `grpctransport` brings those of `google.golang.org` and `golang.org`, `kafka` all of them.",
    table(["module", "licence"], rowsOf(goModules())),
    "## Java\n\nNone over REST. `millrace-grpc` brings those of `io.grpc` and protobuf-java; `millrace-kafka` brings kafka-clients (with lz4-java and snappy-java, Apache-2.0, zstd-jni, BSD-2-Clause, and slf4j-api, MIT) and protobuf-java.",
    table(["artifact", "licence"], rowsOf(javaArtifacts())),
    "## Python\n\n`httpx`; the extra `[kafka]` brings `confluent-kafka` (with librdkafka, BSD-2-Clause) and `protobuf`, the extra `[grpc]` the others.",
    table(["package", "licence"], rowsOf(pythonPackages())),
  ])

const locked = () => readJson<{ packages: Readonly<Record<string, Locked>> }>("package-lock.json").packages

function npmRows(): string[][] {
  const shipped = Object.entries(locked()).filter(([path, { dev, devOptional, link }]) => {
    return path.includes("node_modules/") && !dev && !devOptional && !link
  })
  const rows = shipped.map(rowOf)
  const unique = new Map(rows.map((row) => [row.join(), row]))
  return [...unique.values()].sort(([one = ""], [other = ""]) => (one < other ? -1 : 1))
}

function rowOf([path, { version, license }]: readonly [string, Locked]): string[] {
  const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)
  if (license === undefined) throw new Error(`${name} tells no licence: do not use it before that is known`)
  return [code(name), version, license]
}

function compiledRows(): string[][] {
  const packages = locked()
  const seen = new Map<string, Locked>()
  const walk = (name: string): void => {
    const path = `node_modules/${name}`
    const entry = packages[path]
    if (entry === undefined)
      throw new Error(`${name} is not in package-lock.json: name what the dashboard is built from`)
    if (seen.has(path)) return
    seen.set(path, entry)
    for (const other of Object.keys(entry.dependencies ?? {})) if (!other.startsWith("@types/")) walk(other)
  }
  COMPILED.forEach(walk)
  return [...seen].sort(([one], [other]) => (one < other ? -1 : 1)).map(rowOf)
}

const rowsOf = (names: readonly string[]): string[][] =>
  [...new Set(names)].sort().map((name) => [code(name), known(name)])

function known(name: string): string {
  const licence = LICENCES[name]
  if (licence === undefined) throw new Error(`the licence of ${name} is not listed: look it up and add it to LICENCES`)
  return licence
}

const goModules = (): string[] => [...read("sdks/go/go.mod").matchAll(/^\t(\S+) v/gm)].map(([, name = ""]) => name)

function javaArtifacts(): string[] {
  const blocks = [...read("sdks/java/sdk/pom.xml").matchAll(/<dependency>([\s\S]*?)<\/dependency>/g)]
  const shipped = blocks.map(([, block = ""]) => block).filter((block) => !block.includes("<scope>test</scope>"))
  return shipped.map((block) => `${tag("groupId", block)}:${tag("artifactId", block)}`)
}

const tag = (name: string, xml: string): string => new RegExp(`<${name}>([^<]+)</${name}>`).exec(xml)?.[1] ?? ""

function pythonPackages(): string[] {
  const project = read("sdks/python/pyproject.toml")
  const lists = [...project.matchAll(/^(?:dependencies|grpc|kafka) = \[([^\]]*)\]/gm)].map(([, list = ""]) => list)
  return lists.flatMap((list) => [...list.matchAll(/"([\w.-]+)/g)].map(([, name = ""]) => name))
}
