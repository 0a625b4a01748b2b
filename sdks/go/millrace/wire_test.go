package millrace

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestDefinitionsKeepTheirOrder(t *testing.T) {
	text := `{"id":"d","name":"D","steps":[` +
		`{"id":"a","name":"A","type":"DECISION","conditionalNextSteps":{"z":"1","b":"2","a":"3"}},` +
		`{"id":"t","name":"T","type":"TRANSFORMATION","nextStep":"a","transformations":{"y":1,"x":"${y}","c":null}}]}`
	definition, err := ParseDefinition([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	back, err := json.Marshal(definition)
	if err != nil {
		t.Fatal(err)
	}
	if string(back) != text {
		t.Errorf("got  %s\nwant %s", back, text)
	}
}

func TestParseDefinitionRefusesUnknownFields(t *testing.T) {
	for _, text := range []string{
		`{"id":"d","name":"D","steps":[],"nmae":1}`,
		`{"id":"d","name":"D","steps":[{"id":"a","name":"A","type":"END","nextSetp":"b"}]}`,
		`[]`,
		`{"id":"d","name":"D","steps":[{"id":"a","name":"A","type":"DECISION","conditionalNextSteps":["b"]}]}`,
	} {
		if _, err := ParseDefinition([]byte(text)); err == nil {
			t.Errorf("%s was taken", text)
		} else if !strings.HasPrefix(err.Error(), "not a definition: ") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestDurationOf(t *testing.T) {
	for duration, want := range map[time.Duration]Duration{
		30 * time.Second: "PT30S", 90 * time.Second: "PT90S", 5 * time.Minute: "PT5M", 2 * time.Hour: "PT120M",
		1500 * time.Millisecond: "PT1.5S", 0: "PT0S",
	} {
		if got := DurationOf(duration); got != want {
			t.Errorf("%v: %s, want %s", duration, got, want)
		}
	}
}
