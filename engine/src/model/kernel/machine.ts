// A state machine as data: its states, which of them end it, and the legal moves. CHECKs, enums and docs are tested against it.

export interface Machine<State extends string> {
  readonly name: string
  readonly states: readonly State[]
  readonly terminal: readonly State[]
  readonly moves: readonly (readonly [from: State, to: State, by: string])[]
}

export function mayMove<State extends string>(machine: Machine<State>, from: State, to: State): boolean {
  return machine.moves.some(([source, target]) => source === from && target === to)
}
