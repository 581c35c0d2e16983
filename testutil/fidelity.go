package testutil

import "strings"

// Results returns legal, and some not quite legal, members of a response by name. Each
// must arrive byte for byte.
func Results() map[string]string {
	return map[string]string{
		"an integer beyond 2^53":                  `"result":{"content":[],"structuredContent":{"n":9007199254740993,"m":-123456789012345678901234567890}}`,
		"numbers that no float holds":             `"result":{"a":1e400,"b":1.0,"c":1E+2,"d":-0,"e":0.10,"f":1.7976931348623157e309}`,
		"unknown members":                         `"result":{"content":[],"futureMember":{"x":[1,{"y":null}]},"_meta":{"vendor/x":true}}`,
		"an unknown content type":                 `"result":{"content":[{"type":"hologram","depth":3,"data":"..."}]}`,
		"unusual key order":                       `"result":{"zeta":1,"isError":false,"content":[{"text":"x","type":"text"}],"alpha":2}`,
		"duplicate keys":                          `"result":{"a":1,"a":2,"content":[],"content":[{"type":"text","text":"second"}]}`,
		"escapes kept as written":                 `"result":{"content":[{"type":"text","text":"\u0041\/\n\u00e9é\u2028\ud83d\ude00😀"}]}`,
		"lone surrogates":                         `"result":{"content":[{"type":"text","text":"\ud800 and \udc00"}]}`,
		"characters that HTML escaping changes":   `"result":{"content":[{"type":"text","text":"<script>&amp;</script>"}]}`,
		"no content":                              `"result":{}`,
		"content null":                            `"result":{"content":null}`,
		"a result that is no object":              `"result":[1,2,3]`,
		"a null result":                           `"result":null`,
		"white space everywhere":                  "\"result\" : \t{ \"content\" : [ ] , \"x\" : 1 } ",
		"isError with structured content":         `"result":{"isError":true,"content":[{"type":"text","text":"no"}],"structuredContent":{"code":7}}`,
		"an error with data":                      `"error":{"code":-32000,"message":"custom","data":{"retryAfter":9007199254740993,"list":[1e400]}}`,
		"an error with unknown members":           `"error":{"code":12345678901234567890,"message":"m","extra":true}`,
		"an error that is a string":               `"error":"just text"`,
		"an audio, an image and a resource":       `"result":{"content":[{"type":"audio","data":"AA==","mimeType":"audio/wav"},{"type":"image","data":"AA==","mimeType":"image/png","annotations":{"priority":0.50}},{"type":"resource","resource":{"uri":"a:b","text":"x"}}]}`,
		"members named like the envelope's":       `"result":{"id":1,"jsonrpc":"1.0","method":"x","params":{"name":"y"},"result":{"error":{}}}`,
		"an envelope with members of its own":     `"result":{},"extra":{"trace":"abc"}`,
		"nesting of 100,000 levels":               `"result":` + strings.Repeat(`[`, 100_000) + strings.Repeat(`]`, 100_000),
		"a text of three megabytes":               `"result":{"content":[{"type":"text","text":"` + strings.Repeat("0123456789ab", 250_000) + `"}]}`,
		"a task and a result type of a later MCP": `"result":{"resultType":"task","task":{"taskId":"t","status":"working","ttl":60000}}`,
	}
}

// Requests returns templates of calls by name. A child must see them unchanged, except
// for the id and the tool name in place of %s.
func Requests() map[string]string {
	return map[string]string{
		"members in the usual order":            `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%s,"arguments":{"a":1}}}`,
		"params first and id last":              `{"params":{"arguments":{"a":1},"name":%s},"method":"tools/call","jsonrpc":"2.0","id":%s}`,
		"numbers that no float holds":           `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%s,"arguments":{"n":9007199254740993,"x":1e400,"y":-0.0}}}`,
		"duplicate keys in arguments":           `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%s,"arguments":{"a":1,"a":2,"name":"n","id":3}}}`,
		"unknown members at every level":        `{"jsonrpc":"2.0","trace":[1],"id":%s,"method":"tools/call","params":{"future":{},"name":%s,"_meta":{"progressToken":1.0},"task":{"ttl":1}}}`,
		"escapes and lone surrogates":           `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%s,"arguments":{"t":"\u0041\/\ud800<&>é"}}}`,
		"no arguments":                          `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%s}}`,
		"arguments that are no object":          `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%s,"arguments":[null,"x"]}}`,
		"white space everywhere":                "{ \"jsonrpc\" : \"2.0\" ,\t\"id\" : %s , \"method\" : \"tools/call\" , \"params\" : { \"name\" : %s , \"arguments\" : { } } } ",
		"escaped method and member names":       `{"jsonrpc":"2.0","\u0069d":%s,"method":"tools\/call","p\u0061rams":{"n\u0061me":%s}}`,
		"arguments nested in 100,000 levels":    `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%s,"arguments":{"a":` + strings.Repeat(`[`, 100_000) + strings.Repeat(`]`, 100_000) + `}}}`,
		"a name member inside of the arguments": `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"arguments":{"name":"raw:other"},"name":%s}}`,
	}
}

// Fill replaces %s in a template of Requests with id and name, in the order that the
// template has.
func Fill(template, id, name string) string {
	first, second := id, name
	if strings.Index(template, `me":%s`) < strings.Index(template, `d":%s`) && strings.Contains(template, `d":%s`) ||
		strings.HasPrefix(template, `{"params"`) {
		first, second = name, id
	}
	return strings.Replace(strings.Replace(template, "%s", first, 1), "%s", second, 1)
}
