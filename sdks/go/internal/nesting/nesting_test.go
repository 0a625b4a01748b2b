package nesting

import "testing"

func TestLevels(t *testing.T) {
	for text, want := range map[string]int{
		`1`: 0, `{}`: 1, `{"a":[],"b":{}}`: 2, `[[[1]],[2]]`: 3, `{"a\"{[":"[[{\\","b":[{}]}`: 3,
	} {
		if got := Levels([]byte(text)); got != want {
			t.Errorf("%s: %d", text, got)
		}
	}
}
