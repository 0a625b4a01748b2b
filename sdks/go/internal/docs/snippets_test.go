package docs

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/millrace/millrace/sdks/go/"

// usable are the packages that code in a document may use without importing them.
var usable = []string{
	"context", "errors", "fmt", "log", "os", "os/signal", "syscall", "time", module + "flow", module + "millrace",
	module + "worker",
}

// around is what the code in a document may take for granted.
const around = `
type aBank struct{}

func (aBank) Charge(context.Context, any, string) (string, error) { return "", nil }

var bank aBank

func check(error) {}

func code(ctx context.Context, client *millrace.Client) {
	{
%s
	}
}
`

func TestCodeInDocumentsCompiles(t *testing.T) {
	exports := exportedFiles(t)
	count := 0
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/*/*.md", "sdks/go/README.md"} {
		documents, err := filepath.Glob(filepath.Join("../../../..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range documents {
			for line, code := range codeIn(t, document) {
				count++
				t.Run(fmt.Sprintf("%s:%d", filepath.Base(document), line), func(t *testing.T) { compile(t, exports, code) })
			}
		}
	}
	if count < 5 {
		t.Errorf("only %d pieces of code were found", count)
	}
}

// codeIn has the fenced pieces of Go by their first line.
func codeIn(t *testing.T, document string) map[int]string {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	found, first := map[int]string{}, 0
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case first == 0 && strings.HasPrefix(line, "```go"):
			first = i + 2
		case first > 0 && strings.HasPrefix(line, "```"):
			first = 0
		case first > 0:
			found[first] += line + "\n"
		}
	}
	return found
}

// compile reports everything but what is declared or imported and not used.
func compile(t *testing.T, exports map[string]string, code string) {
	t.Helper()
	files := token.NewFileSet()
	source := program(code)
	file, err := parser.ParseFile(files, "code.go", source, 0)
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	find := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	config := types.Config{Importer: importer.ForCompiler(files, "gc", find), Error: func(err error) {
		if problem, ok := err.(types.Error); !ok || !problem.Soft {
			t.Error(err)
		}
	}}
	_, _ = config.Check("code", files, []*ast.File{file}, nil)
}

// program puts the imports of a piece before its statements; "…" stands for what the reader puts there.
func program(code string) string {
	var out strings.Builder
	out.WriteString("package code\n\n")
	for _, path := range usable {
		fmt.Fprintf(&out, "import %q\n", path)
	}
	var statements []string
	for line := range strings.Lines(strings.ReplaceAll(code, "…", "_ = 0")) {
		if strings.HasPrefix(line, "import ") {
			out.WriteString(line)
		} else {
			statements = append(statements, line)
		}
	}
	fmt.Fprintf(&out, around, strings.Join(statements, ""))
	return out.String()
}

// exportedFiles has what the compiler knows of each package, by its path.
func exportedFiles(t *testing.T) map[string]string {
	t.Helper()
	arguments := append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, usable...)
	out, err := exec.Command("go", append(arguments, module+"grpctransport", module+"kafka")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	return exports
}
