// Definitions that the screen of one instance is tested with.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${…}` is the expression notation

/** Every kind of step, a loan that is checked, approved, signed and paid out. */
export const LOAN = {
  id: "loan",
  name: "Loan application",
  steps: [
    {
      id: "prepare",
      name: "Prepare",
      type: "TRANSFORMATION",
      transformations: { risk: "${amount > 10000}" },
      nextStep: "fork",
    },
    {
      id: "fork",
      name: "Check in parallel",
      type: "PARALLEL_GATEWAY",
      parallelNextSteps: ["score", "identity"],
      joinStep: "join",
    },
    {
      id: "score",
      name: "Credit score",
      type: "SERVICE_TASK",
      jobType: "credit-score",
      retryCount: 2,
      nextStep: "join",
    },
    { id: "identity", name: "Check identity", type: "SERVICE_TASK", jobType: "check-identity", nextStep: "join" },
    { id: "join", name: "Both are in", type: "JOIN_GATEWAY", nextStep: "size" },
    {
      id: "size",
      name: "Large loan?",
      type: "DECISION",
      conditionalNextSteps: { "amount <= 5000": "payout", true: "approve" },
    },
    {
      id: "approve",
      name: "Approve the loan",
      type: "USER_TASK",
      assigneeGroup: "credit",
      form: { properties: { approved: { type: "boolean", title: "Approved" } }, required: ["approved"] },
      conditionalNextSteps: { approved: "sign", true: "refuse" },
      boundaryEvents: [{ type: "TIMER", duration: "P2D", interrupting: false, targetStepId: "remind" }],
    },
    { id: "remind", name: "Remind the desk", type: "SERVICE_TASK", jobType: "remind" },
    {
      id: "sign",
      name: "Contract is signed",
      type: "WAIT",
      nextStep: "payout",
      boundaryEvents: [{ type: "TIMER", duration: "P14D", interrupting: true, targetStepId: "refuse" }],
    },
    { id: "payout", name: "Pay out", type: "SERVICE_TASK", jobType: "payout", nextStep: "done" },
    { id: "refuse", name: "Tell the applicant", type: "SERVICE_TASK", jobType: "tell-applicant", nextStep: "done" },
    { id: "done", name: "Done", type: "END" },
  ],
}

const WAITS_AT = 250

/** 500 steps, of which half are behind it at once. */
export const LONG = {
  id: "long",
  name: "Five hundred steps",
  steps: [
    ...Array.from({ length: 499 }, (_, at) => ({
      id: `s${at}`,
      nextStep: at === 498 ? "done" : `s${at + 1}`,
      ...(at === WAITS_AT
        ? { name: "Wait here", type: "WAIT" }
        : { name: `Compute ${at}`, type: "TRANSFORMATION", transformations: { n: "${n + 1}" } }),
    })),
    { id: "done", name: "Done", type: "END" },
  ],
}

export const MARKUP = `<img src=x onerror="alert('stored')"><b data-x>`

export const markedUp = {
  id: "marked-up",
  name: `Definition ${MARKUP}`,
  steps: [
    {
      id: "first",
      name: MARKUP,
      description: MARKUP,
      type: "SERVICE_TASK",
      jobType: "markup",
      conditionalNextSteps: { [`"${"<img src=x onerror=alert(1)>"}" == "a"`]: "end", true: "second" },
    },
    {
      id: "second",
      name: `Second ${MARKUP}`,
      description: MARKUP,
      type: "SERVICE_TASK",
      jobType: "markup-2",
      nextStep: "end",
    },
    { id: "end", name: MARKUP, type: "END" },
  ],
}
