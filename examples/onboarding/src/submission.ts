// What the browser sends: one payload with the whole session, and the id that the browser made for it.
import { z } from "zod"

export const Submission = z.object({
  /** Made by the browser; also the key under which the submission is taken in. */
  submissionId: z.uuid(),
  authenticationMode: z.enum(["net_new", "existing", "recently_created"]),
  email: z.email(),
  phone: z.string(),
  address: z.object({ street: z.string(), city: z.string(), state: z.string().length(2), zip: z.string() }),
  personal: z.object({ firstName: z.string(), lastName: z.string(), dateOfBirth: z.iso.date() }),
  consents: z.array(z.string()),
  insurance: z.object({ carrier: z.string(), memberId: z.string() }).optional(),
  card: z.object({ token: z.string() }),
  answers: z.array(z.object({ question: z.string(), answer: z.string() })),
  preferences: z.object({ newsletter: z.boolean(), language: z.string() }),
  programme: z.string(),
})
export type Submission = z.infer<typeof Submission>
