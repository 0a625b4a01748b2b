// How a child process learns which one of several it is.

/** From 1. */
export const PROCESS_NUMBER = "MILLRACE_PROCESS"
