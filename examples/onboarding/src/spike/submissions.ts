// Makes up submissions: three kinds of patients, some with a card that is declined, a few that must be refused, and hedged requests.
import type { Random } from "../seeded.ts"
import type { Submission } from "../submission.ts"

export interface PlannedSubmission {
  readonly payload: Submission
  readonly ends: "COMPLETE" | "FAILED"
  /** How often it is sent at the same time. */
  readonly copies: number
}

const INVALID = 0.01
const DECLINED = 0.02
const MOST_COPIES = 3

/** As many requests as asked for; the given share of them are copies of another. */
export function planSubmissions(requests: number, duplicates: number, random: Random): readonly PlannedSubmission[] {
  const extra = Math.round(requests * duplicates)
  const copies = Array.from({ length: requests - extra }, () => 1)
  for (let left = extra; left > 0; ) {
    const at = Math.floor(random() * copies.length)
    if (copies[at] === MOST_COPIES) continue
    copies[at]!++
    left--
  }
  return copies.map((count) => ({ ...(random() < INVALID ? invalid(random) : valid(random)), copies: count }))
}

type Person = Pick<PlannedSubmission, "payload" | "ends">

const valid = (random: Random): Person => ({ payload: submission(random), ends: "COMPLETE" })

/** What does not fit the schema, who is too young, and whose address is taken: found by the worker, not by the intake. */
function invalid(random: Random): Person {
  const payload = submission(random)
  const child = { ...payload, personal: { ...payload.personal, dateOfBirth: "2020-02-29" } }
  const nowhere = { ...payload, email: "nowhere" }
  const taken = { ...payload, authenticationMode: "net_new" as const, email: `${payload.phone}@existing.example` }
  return { payload: pick([child, nowhere, taken], random), ends: "FAILED" }
}

const HOSTS = { net_new: "new.example", existing: "existing.example", recently_created: "recent.example" }
type Mode = keyof typeof HOSTS

function submission(random: Random): Submission {
  const mode = pick<Mode>(["net_new", "net_new", "net_new", "existing", "existing", "recently_created"], random)
  const submissionId = uuid(random)
  return {
    submissionId,
    authenticationMode: mode,
    email: `${submissionId}@${HOSTS[mode]}`,
    phone: `+1${digits(10, random)}`,
    address: { street: `${digits(3, random)} Mill Lane`, city: "Millbrook", state: "NY", zip: digits(5, random) },
    personal: { firstName: "Ada", lastName: "Miller", dateOfBirth: `19${digits(1, random)}0-05-01` },
    consents: ["treatment", "privacy"],
    ...(random() < 0.6 ? { insurance: { carrier: "Acme Health", memberId: digits(9, random) } } : {}),
    card: { token: random() < DECLINED ? "tok_declined" : `tok_${digits(12, random)}` },
    answers: Array.from({ length: 20 }, (_, at) => ({ question: `q${at + 1}`, answer: digits(4, random) })),
    preferences: { newsletter: random() < 0.5, language: "en" },
    programme: pick(["sleep", "migraine", "weight"], random),
  }
}

const pick = <T>(of: readonly T[], random: Random): T => of[Math.floor(random() * of.length)] as T

const digits = (count: number, random: Random): string =>
  Array.from({ length: count }, () => Math.floor(random() * 10)).join("")

function uuid(random: Random): string {
  const hex = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join("")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
}
