// The import table of ARCHITECTURE.md as a check: `npm run check:deps`.

const src = "^engine/src/"
const room = (...names) => `${src}(${names.join("|")})/`

/** What each room of the engine may import besides itself. */
const mayImport = {
  support: [],
  model: ["support"],
  db: ["support"],
  store: ["db", "model", "support"],
  operations: ["store", "db", "model", "support"],
  services: ["operations", "support"],
  transports: ["operations", "model", "support"],
  library: ["operations", "model", "support"],
  config: ["model", "support"],
}

// Tests prove a room from outside: they may use the test kit and start a whole engine.
const notTests = ["\\.test\\.ts$", "/test-support/", `${src}simulation/`]

const roomRules = Object.entries(mayImport).map(([name, others]) => ({
  name: `${name}-imports-only-${others.length === 0 ? "itself" : others.join("-")}`,
  comment: `${name}/ may import ${others.length === 0 ? "nothing but itself" : `itself, ${others.join(", ")}`}. See ARCHITECTURE.md.`,
  severity: "error",
  from: { path: room(name), pathNot: notTests },
  to: { path: src, pathNot: room(name, ...others) },
}))

// tools/ is not among them: it reads the sources that it documents.
const packages = ["engine", "guard", "sdks/typescript", "conformance", "examples"]
const sdk = "(^|/)sdks/typescript/"
const sdkDoor = `${sdk}dist/(proto/|grpc/protocol/|kafka/group/)?index\\.(js|d\\.ts)$`
const everyPackage = "^(engine|guard|dashboard|sdks|conformance|examples|tools)/"

module.exports = {
  forbidden: [
    ...roomRules,
    {
      name: "tests-of-the-model-stay-pure",
      comment:
        "The model is proved without a database: its tests and its own test kit import model/ and support/ only.",
      severity: "error",
      from: { path: room("model") },
      to: { path: src, pathNot: room("model", "support") },
    },
    {
      name: "model-does-no-io",
      comment:
        "model/ is pure: no node built-in, no package (its tests may use both). crypto is for comparing in constant time.",
      severity: "error",
      from: { path: room("model"), pathNot: notTests },
      to: { dependencyTypes: ["core", "npm", "npm-optional"], pathNot: "^(node:)?crypto$" },
    },
    {
      name: "driver-only-in-db",
      comment:
        "PostgreSQL is spoken in db/ alone; everything else uses Database and Transaction. An example brings its own, as its user would.",
      severity: "error",
      from: { path: everyPackage, pathNot: `^examples/|${src}(db|test-support)/` },
      to: { path: "(^|/)node_modules/(pg|pg-pool|pg-protocol|pg-types|@types/pg)/" },
    },
    {
      name: "test-kit-only-in-tests",
      comment: "test-support/ and the simulation never ship: only tests and they themselves import them.",
      severity: "error",
      from: { path: "/src/", pathNot: notTests },
      to: { path: "^(engine|guard|dashboard|sdks/typescript|conformance)/src/(.*test-support|simulation)/" },
    },
    ...packages.map((name) => ({
      name: `${name.replace("/", "-")}-keeps-to-itself`,
      comment: "Packages meet at contracts/ and at each other's front door, never in each other's sources.",
      severity: "error",
      from: { path: `^${name}/` },
      to: { path: everyPackage, pathNot: [`^${name}/`, "/dist/"] },
    })),
    {
      name: "sdk-only-at-the-doors",
      comment:
        "The wire is known where it is spoken: in the command line, which calls the engine, and in transports/, which answers.",
      severity: "error",
      from: { path: "^engine/", pathNot: `${src}(cli|transports)/` },
      to: { path: sdk },
    },
    {
      name: "transports-take-types-alone",
      comment:
        "The server answers in the shapes that the SDK has from the contract; it runs without the SDK. The stubs and the protocol of gRPC and the consumer group of Kafka are one copy.",
      severity: "error",
      from: { path: room("transports"), pathNot: notTests },
      to: { path: sdk, pathNot: `${sdk}dist/(proto|grpc/protocol|kafka/group)/`, dependencyTypesNot: ["type-only"] },
    },
    {
      name: "sdk-by-its-front-door",
      comment: "What the SDK's index does not export is its own.",
      severity: "error",
      from: { path: "^(engine|dashboard|conformance|examples)/", pathNot: notTests },
      to: { path: sdk, pathNot: sdkDoor },
    },
    {
      name: "dashboard-knows-only-the-model",
      comment:
        "The dashboard meets the engine on the wire, typed by the SDK's front door; the pure rules of model/ it may share.",
      severity: "error",
      from: { path: "^dashboard/" },
      to: { path: everyPackage, pathNot: ["^dashboard/", room("model", "support"), sdkDoor] },
    },
    {
      name: "dashboard-takes-types-alone",
      comment:
        "Of the SDK the dashboard needs the types of the wire; its client is made for Node and would weigh on the page.",
      severity: "error",
      from: { path: "^dashboard/" },
      to: { path: sdkDoor, dependencyTypesNot: ["type-only"] },
    },
    {
      name: "dashboard-takes-no-support",
      comment: "What model/ needs of support/ comes along; the dashboard itself asks for model/ alone.",
      severity: "error",
      from: { path: "^dashboard/" },
      to: { path: room("support") },
    },
    {
      name: "sdk-has-no-dependency",
      comment:
        "The SDK runs on what Node brings along; it knows the engine by its contract only. The stubs of gRPC need their peers.",
      severity: "error",
      from: {
        path: "^sdks/typescript/src/",
        pathNot: [...notTests, "^sdks/typescript/src/(generated/)?proto/", "^sdks/typescript/src/(grpc|kafka)/"],
      },
      to: { dependencyTypes: ["npm", "npm-dev", "npm-optional", "npm-no-pkg"] },
    },
    {
      name: "no-cycles",
      comment: "A request goes down once and up once. A ring of types is a ring too.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-unresolvable",
      comment: "An import that resolves to nothing would hide from every rule above.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "no-undeclared-packages",
      comment: "What is imported is in the package.json beside it.",
      severity: "error",
      from: { path: "^(engine|guard|dashboard|sdks|conformance|examples)/" },
      to: { dependencyTypes: ["unknown", "undetermined", "npm-no-pkg", "npm-unknown"] },
    },
  ],
  options: {
    doNotFollow: { path: ["node_modules", "/dist/"] },
    exclude: { path: ["\\.tsbuildinfo$"] },
    combinedDependencies: true,
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.base.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "default", "node"] },
  },
}
