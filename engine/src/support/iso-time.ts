// Times as the wire has them.

export const isoTime = (epochMs: number): string => new Date(epochMs).toISOString()
