package sayso

import "strings"

// Unverified is what a surface says of an asker that came without a credential.
const Unverified = "unverified"

// Verified says who asks as far as a hub knows it: whose credential the ask came
// with and which way, or [Unverified]. It holds nothing that the asker can choose.
//
// A surface shows it apart from [Origin.Claim], so that nobody takes the one for
// the other.
func (o Origin) Verified() string {
	who := Unverified
	if !Blank(o.Asker) {
		who = oneName(o.Asker)
	}
	if via := viaWords(o.Via); via != "" {
		who += " " + via
	}
	return who
}

func viaWords(via string) string {
	switch via {
	case "":
		return ""
	case "socket":
		return "(a program on this machine)"
	}
	return "(over " + oneName(via) + ")"
}

// Claim says who asks and where in the asker's own words: the chain of agents, the
// program, the workspace and the branch. Anybody can claim anything. It is empty if
// the asker says nothing.
func (o Origin) Claim() string {
	parts := []string{o.ClaimedName()}
	if len(o.Agents) > 0 {
		parts = append(parts, oneName(o.Host))
	}
	parts = append(parts, o.ClaimedPlace())
	var said []string
	for _, p := range parts {
		if p != "" {
			said = append(said, p)
		}
	}
	return strings.Join(said, " · ")
}

// ClaimedName is the part of [Origin.Claim] that says who: planner ▸ researcher.
func (o Origin) ClaimedName() string {
	if len(o.Agents) == 0 {
		return oneName(o.Host)
	}
	names := make([]string, len(o.Agents))
	for i, a := range o.Agents {
		names[i] = oneName(a)
	}
	return strings.Join(names, " ▸ ")
}

// ClaimedPlace is the part of [Origin.Claim] that says where: payments @ main.
func (o Origin) ClaimedPlace() string {
	place := oneName(o.Workspace)
	if o.Branch != "" {
		place = strings.TrimSpace(place + " @ " + oneName(o.Branch))
	}
	return place
}

// oneName makes a name safe, with single spaces only: it must not be able to look
// like two names with a gap between them.
func oneName(s string) string { return strings.Join(strings.Fields(SafeLine(s)), " ") }

// Notice returns [FinalNotice] if the answer is final, and "" otherwise.
func (a *Ask) Notice() string {
	if a.Final {
		return FinalNotice
	}
	return ""
}

// Needs says in a few words how surely a hub must know who answers; "" if any answer
// will do.
func (a *Ask) Needs() string {
	switch {
	case a.MinAssurance <= AssuranceLocal:
		return ""
	case a.MinAssurance == AssuranceKey:
		return "An answer needs a key."
	case a.MinAssurance == AssuranceLogin:
		return "An answer needs a sign-in."
	}
	return "An answer needs a passkey."
}
