package millrace

import (
	"context"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestC104EveryCallIsARouteOfTheContract calls every method of the client with arguments of the right types.
func TestC104EveryCallIsARouteOfTheContract(t *testing.T) {
	routes := contractRoutes(t)
	client := reflect.ValueOf(connect(t, newEngine(t, answers(200, `{}`)).URL, WithWorkerID("w")))
	for i := range client.NumMethod() {
		name, method := client.Type().Method(i).Name, client.Method(i)
		if name == "StreamJobs" || !takesContext(method) {
			continue
		}
		t.Run("C-104: "+name, func(t *testing.T) {
			engine := newEngine(t, answers(200, `{"idempotencyKey":"x"}`))
			callWithAnything(t, connect(t, engine.URL, WithWorkerID("w")), name)
			for _, request := range engine.seen() {
				path, _, _ := strings.Cut(request.path, "?")
				if !routes.has(request.method, path) {
					t.Errorf("%s %s is not in the contract", request.method, path)
				}
			}
			if len(engine.seen()) != 1 {
				t.Errorf("%d requests", len(engine.seen()))
			}
		})
	}
}

// notForClients are the routes that people, operators, browsers and probes use, and the routes that do
// what the client already does by another route.
var notForClients = []string{
	"GET /", "GET /docs", "GET /ui", "GET /ui/{path}", "GET /metrics", "GET /openapi.json", "GET /healthz",
	"GET /v1/stream", "POST /v1/session", "DELETE /v1/session",
	"POST /v1/jobs/{jobId}/complete", "POST /v1/jobs/{jobId}/fail",
	"GET /v1/definitions/{definitionId}/versions/{version}",
	"POST /auth/register", "POST /auth/login", "POST /auth/password", "GET /auth/oidc/start", "GET /auth/oidc/callback",
	"GET /.well-known/jwks.json", "GET /debug/config",
	"GET /v1/api-keys", "POST /v1/api-keys", "DELETE /v1/api-keys/{keyId}",
	"GET /admin/guard", "GET /admin/blocks", "GET /admin/shadow-mode", "POST /admin/shadow-mode",
	"GET /admin/shadow-stats", "GET /admin/shadow-report",
	"POST /admin/block-ip/{ip}", "DELETE /admin/block-ip/{ip}",
	"POST /admin/soft-block-ip/{ip}", "DELETE /admin/soft-block-ip/{ip}",
	"POST /admin/block-agent", "DELETE /admin/block-agent", "POST /admin/pardons/{client}",
	"GET /admin/block-status/{ip}", "GET /admin/client-status/{client}",
}

func TestC104EveryRouteOfTheContractHasACall(t *testing.T) {
	called := map[string]bool{}
	routes := contractRoutes(t)
	client := reflect.TypeFor[*Client]()
	for i := range client.NumMethod() {
		method := client.Method(i)
		if method.Name == "StreamJobs" || method.Type.NumIn() < 2 || method.Type.In(1) != reflect.TypeFor[context.Context]() {
			continue
		}
		engine := newEngine(t, answers(200, `{"idempotencyKey":"x"}`))
		callWithAnything(t, connect(t, engine.URL, WithWorkerID("w")), method.Name)
		for _, request := range engine.seen() {
			path, _, _ := strings.Cut(request.path, "?")
			called[routes.nameOf(request.method, path)] = true
		}
	}
	for route := range routes {
		if !called[route] && !slices.Contains(notForClients, route) {
			t.Errorf("C-104: no call of the client uses %s", route)
		}
	}
}

func takesContext(method reflect.Value) bool {
	kind := reflect.TypeFor[context.Context]()
	return method.Type().NumIn() > 0 && method.Type().In(0) == kind
}

func callWithAnything(t *testing.T, client *Client, name string) {
	t.Helper()
	method := reflect.ValueOf(client).MethodByName(name)
	arguments := []reflect.Value{reflect.ValueOf(soon(t))}
	given := method.Type().NumIn()
	if method.Type().IsVariadic() {
		given--
	}
	for i := 1; i < given; i++ {
		arguments = append(arguments, anything(method.Type().In(i)))
	}
	results := method.Call(arguments)
	last := results[len(results)-1]
	if err, ok := last.Interface().(error); ok && err != nil {
		t.Error(err)
	}
	if last.Kind() == reflect.Func {
		walk(last)
	}
}

// walk goes through a sequence of pages.
func walk(sequence reflect.Value) {
	yield := reflect.MakeFunc(sequence.Type().In(0), func([]reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(true)}
	})
	sequence.Call([]reflect.Value{yield})
}

// anything has "x" for every string.
func anything(kind reflect.Type) reflect.Value {
	value := reflect.New(kind).Elem()
	switch kind.Kind() {
	case reflect.String:
		value.SetString("x")
	case reflect.Struct:
		for i := range kind.NumField() {
			if field := value.Field(i); field.Kind() == reflect.String {
				field.SetString("x")
			}
		}
	}
	return value
}

// routeTable has the methods of every path of the contract.
type routeTable map[string]*regexp.Regexp

func contractRoutes(t *testing.T) routeTable {
	t.Helper()
	text, err := os.ReadFile("../../../contracts/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	table, path := routeTable{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "  /") {
			path = strings.TrimSuffix(strings.TrimSpace(line), ":")
		}
		method := strings.ToUpper(strings.TrimSuffix(strings.TrimSpace(line), ":"))
		if path != "" && regexp.MustCompile(`^    (get|post|put|patch|delete):$`).MatchString(line) {
			pattern := regexp.MustCompile(`\\\{\w+\\\}`).ReplaceAllString(regexp.QuoteMeta(path), `[^/]+`)
			table[method+" "+path] = regexp.MustCompile("^" + method + " " + pattern + "$")
		}
	}
	if len(table) < 50 {
		t.Fatalf("only %d routes were read from the contract", len(table))
	}
	return table
}

func (r routeTable) has(method, path string) bool { return r.nameOf(method, path) != "" }

// nameOf prefers a route without places: /v1/jobs/poll is no /v1/jobs/{jobId}.
func (r routeTable) nameOf(method, path string) string {
	if _, ok := r[method+" "+path]; ok {
		return method + " " + path
	}
	for name, pattern := range r {
		if pattern.MatchString(method + " " + path) {
			return name
		}
	}
	return ""
}
