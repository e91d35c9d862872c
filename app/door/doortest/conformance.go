package doortest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed conformance.json
var conformanceJSON []byte

// Excuse is a reason why checks of the MCP conformance suites fail.
type Excuse struct {
	Why    string
	Checks map[string][]string // by the program of the suite: "scenario check", or one word if both are the same
}

// Excuses reads conformance.json, which has every check that may fail, and must.
func Excuses() ([]Excuse, error) {
	var all []Excuse
	if err := json.Unmarshal(conformanceJSON, &all); err != nil {
		return nil, fmt.Errorf("conformance.json: %w", err)
	}
	return all, nil
}

// Excused returns the reason for each of those checks, by suite.
func Excused() (map[string]map[string]string, error) {
	all, err := Excuses()
	if err != nil {
		return nil, err
	}
	reasons := map[string]map[string]string{}
	for _, e := range all {
		for suite, checks := range e.Checks {
			if reasons[suite] == nil {
				reasons[suite] = map[string]string{}
			}
			for _, id := range checks {
				if !strings.Contains(id, " ") {
					id += " " + id
				}
				if reasons[suite][id] != "" {
					return nil, fmt.Errorf("conformance.json: %s: %s has two reasons", suite, id)
				}
				reasons[suite][id] = e.Why
			}
		}
	}
	return reasons, nil
}
