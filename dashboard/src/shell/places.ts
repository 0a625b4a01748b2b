// Where one can go from anywhere, with the keys that lead there.
export const PLACES = [
  { to: "/", label: "Overview", keys: "g o" },
  { to: "/instances", label: "Instances", keys: "g i" },
  { to: "/definitions", label: "Definitions", keys: "g d" },
  { to: "/queues", label: "Queues", keys: "g q" },
  { to: "/dead-letters", label: "Dead letters", keys: "g l" },
  { to: "/user-tasks", label: "User tasks", keys: "g t" },
  { to: "/schedules", label: "Schedules", keys: "g s" },
  { to: "/workers", label: "Workers", keys: "g w" },
] as const
