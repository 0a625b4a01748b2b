// Package docs checks that what is exported is documented, and that the code in the documents compiles.
package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// known are methods whose meaning the standard library says.
var known = []string{"Error", "Unwrap", "String", "MarshalJSON", "UnmarshalJSON"}

func TestEverythingExportedIsDocumented(t *testing.T) {
	for _, folder := range []string{"millrace", "worker", "flow", "grpctransport"} {
		files, err := filepath.Glob(filepath.Join("..", "..", folder, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(folder, err)
		}
		for _, file := range files {
			// What is generated has the words of the contract.
			if !strings.HasSuffix(file, "_test.go") && !strings.HasSuffix(file, "_gen.go") {
				checkFile(t, file)
			}
		}
	}
}

func checkFile(t *testing.T, path string) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, declared := range file.Decls {
		for _, name := range undocumented(declared) {
			t.Errorf("%s: %s has no comment", files.Position(name.Pos()), name.Name)
		}
	}
}

func undocumented(declared ast.Decl) []*ast.Ident {
	switch declared := declared.(type) {
	case *ast.FuncDecl:
		if declared.Doc == nil && isPublic(declared) {
			return []*ast.Ident{declared.Name}
		}
	case *ast.GenDecl:
		if declared.Doc == nil {
			return undocumentedSpecs(declared.Specs)
		}
	}
	return nil
}

// isPublic is false for methods of types that are not exported: a caller sees them by an interface.
func isPublic(function *ast.FuncDecl) bool {
	if !function.Name.IsExported() || slices.Contains(known, function.Name.Name) {
		return false
	}
	if function.Recv == nil {
		return true
	}
	receiver := function.Recv.List[0].Type
	if pointer, ok := receiver.(*ast.StarExpr); ok {
		receiver = pointer.X
	}
	name, ok := receiver.(*ast.Ident)
	return ok && name.IsExported()
}

func undocumentedSpecs(specs []ast.Spec) []*ast.Ident {
	var found []*ast.Ident
	for _, spec := range specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Doc == nil && spec.Name.IsExported() {
				found = append(found, spec.Name)
			}
		case *ast.ValueSpec:
			if spec.Doc == nil && spec.Comment == nil && spec.Names[0].IsExported() {
				found = append(found, spec.Names[0])
			}
		}
	}
	return found
}
