// The scenarios and the matrix they are meant for, for whoever brings another client or worker.
export { cells } from "./scenarios/matrix.ts"
export { scenarios } from "./scenarios/scenario.ts"
