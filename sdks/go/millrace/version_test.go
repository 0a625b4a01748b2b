package millrace

import (
	"encoding/json"
	"os"
	"testing"
)

func TestVersionIsTheEngines(t *testing.T) {
	text, err := os.ReadFile("../../../engine/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Version != Version {
		t.Errorf("the SDK is %s, the engine %s: change Version", Version, manifest.Version)
	}
}

func TestOlderVersions(t *testing.T) {
	for _, older := range [][2]string{
		{"0.0.9", "0.1.0"}, {"0.1.0", "1.0.0"}, {"1.2.3", "1.10.0"}, {"0.1.0-rc.1", "0.1.1"},
	} {
		if !olderThan(older[0], older[1]) || olderThan(older[1], older[0]) {
			t.Errorf("%s is older than %s", older[0], older[1])
		}
	}
	for _, unknown := range []string{"", "next", "1.x.0", "0.1.0"} {
		if olderThan(unknown, "0.1.0") {
			t.Errorf("%q is not known to be older", unknown)
		}
	}
}
