// Generated from package.json by `npm run generate`. Do not edit.
export const VERSION = "0.1.0"
