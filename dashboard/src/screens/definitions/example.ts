// A small definition to begin with: it decides, asks a person, and lets a worker do the rest.
export const EXAMPLE = {
  id: "expense",
  name: "Expense claim",
  description: "Small amounts are paid at once; a manager looks at the others.",
  inputSchema: {
    properties: {
      employee: { type: "string", title: "Employee" },
      amount: { type: "number", title: "Amount", description: "In whole francs or with cents." },
    },
    required: ["employee", "amount"],
  },
  steps: [
    {
      id: "size",
      name: "Small?",
      type: "DECISION",
      conditionalNextSteps: { "amount <= 100": "pay", true: "approve" },
    },
    {
      id: "approve",
      name: "Approve",
      type: "USER_TASK",
      assigneeGroup: "managers",
      form: { properties: { approved: { type: "boolean", title: "Approved" } }, required: ["approved"] },
      outputSchema: { properties: { approved: { type: "boolean" } }, required: ["approved"] },
      conditionalNextSteps: { approved: "pay", true: "refused" },
    },
    { id: "pay", name: "Pay", type: "SERVICE_TASK", jobType: "pay-expense", retryCount: 3, nextStep: "paid" },
    { id: "paid", name: "Paid", type: "END" },
    { id: "refused", name: "Refused", type: "END" },
  ],
} as const
