// What mixed-language workers work on: every step says in its variable which delivery was the one that counted.

const STEPS = ["reserve", "pack", "ship", "confirm"] as const

const service = (id: string, nextStep: string) => ({
  ...{ id, name: id, type: "SERVICE_TASK", jobType: `mixed.${id}` },
  ...{ retryCount: 20, nextStep },
})

/** reserve → (pack | ship) → join → confirm → end. */
export const order = {
  id: "mixed-order",
  name: "An order that workers of every language work on",
  steps: [
    service("reserve", "fork"),
    { id: "fork", name: "fork", type: "PARALLEL_GATEWAY", parallelNextSteps: ["pack", "ship"], joinStep: "join" },
    service("pack", "join"),
    service("ship", "join"),
    { id: "join", name: "join", type: "JOIN_GATEWAY", nextStep: "confirm" },
    service("confirm", "end"),
    { id: "end", name: "end", type: "END" },
  ],
}

/** The handlers in the form of the control protocol. One in four fails at first. All take some time, so that kills meet them. */
export const handlers = Object.fromEntries(
  STEPS.map((step) => [
    `mixed.${step}`,
    { sleepsMs: 20, ...(step === "ship" ? { failsFirst: 1 } : {}), copiesFacts: { [step]: "attempt" } },
  ]),
)
