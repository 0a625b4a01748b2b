// Control characters: a line end in a key or a name breaks logs, cookies, headers and terminals that show it.

export const hasControlCharacter = (text: string): boolean => /\p{Cc}/u.test(text)
