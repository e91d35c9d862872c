package hub

import (
	"cmp"
	"slices"

	"github.com/saysohq/sayso"
)

// maxFacets is how many values of a filter are counted for people: the ones that most
// asks have.
const maxFacets = 100

// facetCounts counts the values of filters.
type facetCounts struct {
	names                                                        *searchNames
	agent, asker, workspace, branch, conversation, person, kinds []int
}

func newFacetCounts(n *searchNames) *facetCounts {
	count := func(t *names) []int { return make([]int, len(t.all)) }
	return &facetCounts{n, count(n.agents), count(n.askers), count(n.workspaces), count(n.branches), count(n.conversations), count(n.people), make([]int, 2)}
}

func (f *facetCounts) add(d *searchDoc) {
	for _, id := range f.names.lists[d.agents] {
		f.agent[id]++
	}
	for _, id := range f.names.lists[d.people] {
		f.person[id]++
	}
	f.asker[d.asker]++
	f.workspace[d.workspace]++
	f.branch[d.branch]++
	f.conversation[d.key.conversation]++
	f.kinds[d.kind]++
}

func (f *facetCounts) all() map[string][]Facet {
	all := map[string][]Facet{}
	for _, one := range []struct {
		name   string
		values []string
		counts []int
	}{
		{"agent", f.names.agents.all, f.agent},
		{"asker", f.names.askers.all, f.asker},
		{"workspace", f.names.workspaces.all, f.workspace},
		{"branch", f.names.branches.all, f.branch},
		{"conversation", f.names.conversations.all, f.conversation},
		{"person", f.names.people.all, f.person},
		{"kind", []string{string(sayso.AskQuestions), string(sayso.AskApproval)}, f.kinds},
	} {
		var facets []Facet
		for id, n := range one.counts {
			if n > 0 && one.values[id] != "" {
				facets = append(facets, Facet{one.values[id], n})
			}
		}
		slices.SortFunc(facets, func(a, b Facet) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
		})
		if facets = facets[:min(len(facets), maxFacets)]; len(facets) > 0 {
			all[one.name] = facets
		}
	}
	return all
}
