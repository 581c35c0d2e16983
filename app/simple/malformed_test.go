package simple_test

import (
	"strings"
	"testing"
	"testing/synctest"
)

func TestAnAnswerOfTheClientThatCannotBeReadIsRefused(t *testing.T) {
	tests := []struct{ name, answer, problem string }{
		{"it is no JSON", `{"jsonrpc":"2.0","id":1,"result":NaN}`, `"code":-32700,"message":"Parse error: `},
		{"it is not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\"}", `"code":-32700,"message":"Parse error: `},
		{"it is of no version", `{"id":1,"result":{}}`, `"code":-32600,"message":"Invalid request: jsonrpc must be \"2.0\""`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, one := openCalls(t)
				a.Send("%s", test.answer)
				if got, want := one.Next(), `{"jsonrpc":"2.0","id":"open","error":{`+test.problem; !strings.HasPrefix(got, want) {
					t.Errorf("the child is told %s, want %s", got, want)
				}
				a.Send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
				a.expect(`{"jsonrpc":"2.0","id":2,"result":{}}`)
			})
		})
	}
}
