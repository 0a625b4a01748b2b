// What an engine has logged as errors, without the 503 of its contract: a queue is full while the fuzzer has its marks low, for instance.
// That answer is judged like every other one, and its line in the access log says no more.
const REFUSED = /"status":503,.*"msg":"request"/

export const loggedFaults = (log: string): string =>
  log
    .split("\n")
    .filter((line) => line !== "" && !REFUSED.test(line))
    .join("\n")
