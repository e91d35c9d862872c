package sayso

import "strings"

const (
	confirmBack = "back"
	confirmSend = "send"
)

// Confirmation returns the question whether answers that choose something dangerous
// are meant, or nil if they choose nothing dangerous. It is the second, deliberate
// action for surfaces that can show nothing but questions; [Confirmed] reads what is
// said to it.
//
// Going back is the first choice, so that a program which takes the first one by
// itself sends nothing.
func (a *Ask) Confirmation(answers []Answer) *Ask {
	all := a.Dangerous(answers)
	if len(all) == 0 {
		return nil
	}
	var text, names []string
	for _, o := range all {
		name := "“" + SafeLine(o.Label) + "”"
		names = append(names, name)
		text = append(text, name+" is marked as dangerous"+ended(SafeLine(o.Description)))
	}
	c := &Ask{ID: a.ID, Origin: a.Origin, Deadline: a.Deadline, MinAssurance: a.MinAssurance, Final: a.Final, Questions: []Question{{
		ID: "confirm", Header: "Dangerous", Text: strings.Join(text, " ") + " Send it all the same?",
		Options: []Option{
			{ID: confirmBack, Label: "No, go back"},
			{ID: confirmSend, Label: "Yes, send " + strings.Join(names, ", ")},
		},
	}}}
	c = c.Clone()
	c.Normalize()
	return c
}

// ended is a text behind a colon, as the end of a sentence.
func ended(s string) string {
	switch {
	case Blank(s):
		return "."
	case strings.ContainsAny(s[len(s)-1:], ".!?"):
		return ": " + s
	}
	return ": " + s + "."
}

// Confirmed reads what was said to an [Ask.Confirmation]: yes, no, or neither, which
// is asked again. An empty form, own words and a refusal to answer are never a yes.
func Confirmed(o *Outcome) (yes, no bool) {
	ans, _ := o.Answer("confirm")
	said := o.Status == StatusAnswered && len(ans.Selected) == 1
	return said && ans.Selected[0] == confirmSend, said && ans.Selected[0] == confirmBack
}
