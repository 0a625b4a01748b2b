// The settings of an engine under test: leases, lost leases and pushback that a run can wait for.

export const ENGINE_SETTINGS = {
  WE_LEASE_DEFAULT: "3s",
  WE_MAX_LOST_LEASES: "2",
  WE_BACKPRESSURE_RETRY_AFTER: "1s",
}
