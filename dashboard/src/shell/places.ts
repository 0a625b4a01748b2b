// Where one can go from anywhere, with the keys that lead there and the scope that it takes.
export const PLACES = [
  { to: "/", label: "Overview", keys: "g o", scope: "metrics:read" },
  { to: "/instances", label: "Instances", keys: "g i", scope: "instances:read" },
  { to: "/definitions", label: "Definitions", keys: "g d", scope: "definitions:read" },
  { to: "/queues", label: "Queues", keys: "g q", scope: "jobs:read" },
  { to: "/jobs", label: "Jobs", keys: "g j", scope: "jobs:read" },
  { to: "/dead-letters", label: "Dead letters", keys: "g l", scope: "jobs:read" },
  { to: "/user-tasks", label: "User tasks", keys: "g t", scope: "tasks:read" },
  { to: "/schedules", label: "Schedules", keys: "g s", scope: "jobs:read" },
  { to: "/events", label: "Events", keys: "g e", scope: "events:read" },
  { to: "/workers", label: "Workers", keys: "g w", scope: "jobs:read" },
  { to: "/guard", label: "Guard", keys: "g g", scope: "admin" },
] as const
