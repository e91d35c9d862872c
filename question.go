package sayso

import "strings"

// Question is one thing the asker wants to know.
//
// A question without options is answered in words. A question with options is
// answered by choosing, in words, or both: own words are always allowed.
type Question struct {
	ID     string `json:"id"`               // unique within the ask; Normalize gives q1, q2 … where a dialect has none
	Header string `json:"header,omitempty"` // a short name, for a tab or a chip
	Text   string `json:"text"`             // the question itself
	Body   string `json:"body,omitempty"`   // Markdown shown with the question

	Kind    Kind     `json:"kind,omitempty"` // what it asks for; Normalize finds it out from Options and Multi
	Options []Option `json:"options,omitempty"`
	Multi   bool     `json:"multi,omitempty"`  // several options may be chosen: the older way to ask for KindChoices
	Secret  bool     `json:"secret,omitempty"` // the answer must not be stored in clear, logged or summarised

	// RawHeader and RawText are the asker's own bytes where Normalize had to
	// change them. They are for the echo to the asker, never for a screen.
	RawHeader string `json:"rawHeader,omitempty"`
	RawText   string `json:"rawText,omitempty"`
}

// Option is one choice of a question.
type Option struct {
	ID          string `json:"id"` // unique within the question; Normalize gives o1, o2 …
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
	Preview     string `json:"preview,omitempty"` // Markdown or code shown while the option is highlighted

	Recommended bool `json:"recommended,omitempty"` // shown as a tag, never chosen for the person
	Danger      bool `json:"danger,omitempty"`      // no single stray key may choose it

	// RawLabel is the label as the asker spelled it, where Normalize changed it
	// ("PostgreSQL (Recommended)"). It is for the echo, never for a screen.
	RawLabel string `json:"rawLabel,omitempty"`
}

// TextAsAsked returns the question as the asker spelled it, for the echo.
func (q *Question) TextAsAsked() string { return asAsked(q.RawText, q.Text) }

// HeaderAsAsked returns the header as the asker spelled it, for the echo.
func (q *Question) HeaderAsAsked() string { return asAsked(q.RawHeader, q.Header) }

// LabelAsAsked returns the label as the asker spelled it, for the echo.
func (o *Option) LabelAsAsked() string { return asAsked(o.RawLabel, o.Label) }

// LabelMarked returns the label with its marks, for a place that can show nothing
// but a label: "Drop the table (dangerous)".
func (o *Option) LabelMarked() string {
	label := o.Label
	if o.Recommended && !strings.HasSuffix(strings.ToLower(label), recommendedSuffix) {
		label += " (Recommended)"
	}
	if o.Danger {
		label += " (dangerous)"
	}
	return label
}

func asAsked(raw, shown string) string {
	if raw != "" {
		return raw
	}
	return shown
}

// Option returns the option with the given id, or nil.
func (q *Question) Option(id string) *Option {
	for i := range q.Options {
		if q.Options[i].ID == id {
			return &q.Options[i]
		}
	}
	return nil
}
