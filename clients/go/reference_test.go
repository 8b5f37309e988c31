package pesapost_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// go doc prints the reference, and says nothing of a name without a comment.
func TestEveryExportedNameHasAComment(t *testing.T) {
	for name, comment := range exportedComments(t) {
		if strings.TrimSpace(comment) == "" {
			t.Errorf("%s has no comment", name)
		}
	}
}

func exportedComments(t *testing.T) map[string]string {
	set := token.NewFileSet()
	var files []*ast.File
	names, _ := filepath.Glob("*.go")
	for _, name := range names {
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	reference, err := doc.NewFromFiles(set, files, "github.com/pesapost/pesapost-go")
	if err != nil {
		t.Fatal(err)
	}
	comments := map[string]string{"package pesapost": reference.Doc}
	functions := func(prefix string, all []*doc.Func) {
		for _, function := range all {
			comments[prefix+function.Name] = function.Doc
		}
	}
	functions("", reference.Funcs)
	for _, named := range reference.Types {
		comments[named.Name] = named.Doc
		functions("", named.Funcs)
		functions(named.Name+".", named.Methods)
	}
	if len(comments) < 50 {
		t.Fatalf("only %d names were found", len(comments))
	}
	return comments
}
