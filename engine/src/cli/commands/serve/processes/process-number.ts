// How a child process learns which one of several it is.

/** The number of a child process, counted from 1. */
export const PROCESS_NUMBER = "MILLRACE_PROCESS"
