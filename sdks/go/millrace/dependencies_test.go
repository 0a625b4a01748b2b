package millrace

import (
	"os/exec"
	"strings"
	"testing"
)

func TestDependencies(t *testing.T) {
	t.Run("C-115: over REST nothing but the standard library is compiled in", func(t *testing.T) {
		foreign := "{{if not .Standard}}{{.ImportPath}}{{end}}"
		list := exec.Command("go", "list", "-deps", "-f", foreign, ".", "../worker", "../flow")
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, dependency := range strings.Fields(string(out)) {
			if !strings.HasPrefix(dependency, "github.com/millrace/millrace/sdks/go/") || strings.Contains(dependency, "grpc") {
				t.Errorf("%s is imported", dependency)
			}
		}
	})
}
