// Reasons to throw a draft away and to plan again under other conditions: nothing was decided.

export class PlanAgain extends Error {}

/** Several events share the draft and have used up its budgets together: each is to be planned alone. */
export class TooMuchTogether extends PlanAgain {}
