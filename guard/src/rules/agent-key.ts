// User agents as the guard compares them: one text for each, whatever its capitals.

const MOST_CHARACTERS = 512

/** Without spaces around it, and as much of it as is compared. The key of a key is that key. */
export const agentKey = (text: string): string => text.trim().toLowerCase().slice(0, MOST_CHARACTERS).trimEnd()
