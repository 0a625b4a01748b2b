// What an API key may be allowed to do. `jobs:work:<job type>` limits a worker to one type.
export const SCOPES = [
  "definitions:read",
  "definitions:write",
  "instances:read",
  "instances:write",
  "jobs:work",
  "jobs:read",
  "jobs:write",
  "queues:write",
  "tasks:read",
  "tasks:write",
  "metrics:read",
  "admin",
] as const
