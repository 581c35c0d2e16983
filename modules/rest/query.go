package rest

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"mcp-aggregator/modules/servers"
)

// How many events a history has.
const (
	someEvents = 100
	mostEvents = 1000
)

// badParameter returns the error of a parameter of the query.
func badParameter(name, detail string) error {
	return newInvalid([]faultBody{{Parameter: name, Detail: detail}}).asError()
}

// known returns the error of a query with a parameter that the endpoint does not take.
func (e endpoint) known(raw string) error {
	if raw == "" {
		return nil
	}
	query, err := url.ParseQuery(raw)
	if err != nil {
		return newInvalid([]faultBody{{Detail: "the query cannot be read: write special characters as %XX"}}).asError()
	}
	var names []string
	for _, p := range e.params {
		if p.In == "query" {
			names = append(names, p.Name)
		}
	}
	detail := "is unknown: there are none"
	if len(names) > 0 {
		detail = "is unknown: use " + strings.Join(names, ", ")
	}
	var faults []faultBody
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(names, name) {
			faults = append(faults, faultBody{Parameter: name, Detail: detail})
		}
	}
	if faults == nil {
		return nil
	}
	return newInvalid(faults).asError()
}

// single returns the value of a parameter that is given at most once.
func single(query url.Values, name string) (text string, given bool, err error) {
	switch values := query[name]; len(values) {
	case 0:
		return "", false, nil
	case 1:
		return values[0], true, nil
	default:
		return "", false, badParameter(name, "is there twice: give one")
	}
}

// limit returns how many events are asked for.
func limit(query url.Values) (int, error) {
	text, given, err := single(query, "limit")
	if err != nil || !given {
		return someEvents, err
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostEvents {
		return 0, badParameter("limit", "must be a number from 1 to "+strconv.Itoa(mostEvents))
	}
	return n, nil
}

// statuses returns which statuses are asked for; nil: all.
func statuses(query url.Values) (map[servers.Status]bool, error) {
	var asked map[servers.Status]bool
	for _, list := range query["status"] {
		for text := range strings.SplitSeq(list, ",") {
			switch s := servers.Status(text); s {
			case servers.Connecting, servers.Connected, servers.Degraded, servers.Disconnected, servers.Errored:
				if asked == nil {
					asked = map[servers.Status]bool{}
				}
				asked[s] = true
			default:
				return nil, badParameter("status", "is unknown: use CONNECTING, CONNECTED, DEGRADED, DISCONNECTED or ERROR")
			}
		}
	}
	return asked, nil
}

// wanted tells which tools are asked for.
type wanted struct{ available, unavailable bool }

func (w wanted) has(available bool) bool {
	return available && w.available || !available && w.unavailable
}

func availability(query url.Values) (wanted, error) {
	text, given, err := single(query, "available")
	switch {
	case err != nil:
		return wanted{}, err
	case !given || text == "true":
		return wanted{available: true}, nil
	case text == "false":
		return wanted{unavailable: true}, nil
	case text == "all":
		return wanted{available: true, unavailable: true}, nil
	default:
		return wanted{}, badParameter("available", "is unknown: use true, false or all")
	}
}
