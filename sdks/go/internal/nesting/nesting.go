// Package nesting tells how deeply a JSON text is nested.
package nesting

// Most levels that an engine reads over gRPC; the limit of the engine itself, which it tells, is lower.
const Most = 100

// Levels counts how deeply objects and lists lie in each other; a text without any has none.
func Levels(text []byte) int {
	level, deepest, inString, escaped := 0, 0, false, false
	for _, letter := range text {
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped, inString = letter == '\\', letter != '"'
		case letter == '"':
			inString = true
		case letter == '{' || letter == '[':
			level++
			deepest = max(deepest, level)
		case letter == '}' || letter == ']':
			level--
		}
	}
	return deepest
}
