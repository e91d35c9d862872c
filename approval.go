package sayso

// Approval is what an agent wants to do and needs permission for. [NewApproval] makes
// one of the agent's tool call; an [Ask] carries it.
//
// Input has the bytes that will run. Shown has all of them as people read them:
// commands with real line ends, changes of files as diffs. [Ask.Digest] covers both,
// and what each choice would do.
//
// An integration keeps the tool call that waits, makes its Ask again when there is an
// answer, compares the digests, and lets that call run, never what comes out of a
// store.
type Approval struct {
	Kind  ApprovalKind `json:"kind"`
	Tool  string       `json:"tool"`            // as the agent spells it: "Bash", "mcp__db__drop_table"
	Input Content      `json:"input"`           // the exact bytes of the tool's input
	Shown []Part       `json:"shown"`           // everything that will run, for people
	Files []FileChange `json:"files,omitempty"` // what will change, where that is known

	Cwd    string   `json:"cwd,omitempty"`    // the directory it runs in
	Reason string   `json:"reason,omitempty"` // why the agent wants it, in the model's words
	Why    []string `json:"why,omitempty"`    // why the agent has to ask: "outside the sandbox", "a rule says ask"
	Mode   string   `json:"mode,omitempty"`   // the agent's own permission mode

	// Missing is what the agent does not tell: "the old content". If it is what will
	// run, nothing may be allowed, and no offer allows anything.
	Missing []string `json:"missing,omitempty"`

	// Offers are the decisions that the integration can carry out, and no others.
	Offers []Offer `json:"offers"`

	whole map[string]string // what is stored beside the ask, of one that shows it: see [Ask.WithContent]
}

// ApprovalKind says what an approval is about.
type ApprovalKind string

// The kinds of approvals.
const (
	ApproveShell ApprovalKind = "shell" // a command
	ApproveEdit  ApprovalKind = "edit"  // changes of files
	ApproveFetch ApprovalKind = "fetch" // something from the network
	ApproveMCP   ApprovalKind = "mcp"   // a tool of an MCP server
	ApproveTool  ApprovalKind = "tool"  // any other tool
	ApprovePlan  ApprovalKind = "plan"  // a plan, before the agent carries it out
	ApproveGrant ApprovalKind = "grant" // rights for what comes next: paths, the network
)

// ApprovalKinds returns every kind.
func ApprovalKinds() []ApprovalKind {
	return []ApprovalKind{ApproveShell, ApproveEdit, ApproveFetch, ApproveMCP, ApproveTool, ApprovePlan, ApproveGrant}
}

// Part is one piece of what will run, as people read it.
type Part struct {
	Name   string     `json:"name"` // "Command", the path of a file, or what the tool calls it
	Format PartFormat `json:"format"`
	Content
}

// PartFormat says how a part is drawn.
type PartFormat string

// The formats.
const (
	PartCommand  PartFormat = "command"
	PartDiff     PartFormat = "diff" // the hunks of a unified diff
	PartText     PartFormat = "text"
	PartJSON     PartFormat = "json"
	PartMarkdown PartFormat = "markdown" // a plan
)

// FileChange is what happens to one file. [NewFileChange] makes one; its diff is in
// the part of [Approval].Shown that has its path as the name.
type FileChange struct {
	Path    string `json:"path"`
	Op      FileOp `json:"op"`
	Before  string `json:"before,omitempty"` // the SHA-256 of the content, in hex; empty if there is none, or it is not known
	After   string `json:"after,omitempty"`
	Added   int    `json:"added"` // lines
	Removed int    `json:"removed"`

	diff string
}

// FileOp says what happens to a file.
type FileOp string

// What can happen to a file.
const (
	FileAdd    FileOp = "add"
	FileUpdate FileOp = "update"
	FileDelete FileOp = "delete"
)

// Offer is one decision that an integration can carry out.
type Offer struct {
	ID    string `json:"id"`              // ours; the integration keeps what the agent calls it
	Act   Act    `json:"act"`             //
	Label string `json:"label,omitempty"` // the agent's own words for it; default: ours
	Scope Scope  `json:"scope,omitempty"` // for how long it holds; default: once

	// Rule is exactly what the agent would store, and Where the place: "Bash(npm run *)"
	// in ".claude/settings.local.json".
	Rule  string `json:"rule,omitempty"`
	Where string `json:"where,omitempty"`

	Mode    string `json:"mode,omitempty"`    // the agent's permission mode that follows
	Stops   bool   `json:"stops,omitempty"`   // the agent's turn ends
	Message bool   `json:"message,omitempty"` // it can come with words for the model
	Edit    bool   `json:"edit,omitempty"`    // it can come with a changed input
}

// Act is what an offer does.
type Act string

// What offers do.
const (
	ActAllow Act = "allow"
	ActDeny  Act = "deny"
)

// Scope says for how long a decision holds.
type Scope string

// The scopes.
const (
	ScopeOnce    Scope = "once"
	ScopeSession Scope = "session"
	ScopeAlways  Scope = "always"
)

// Offer returns the offer with the given id, or nil.
func (a *Approval) Offer(id string) *Offer {
	for i := range a.Offers {
		if a.Offers[i].ID == id {
			return &a.Offers[i]
		}
	}
	return nil
}

// Allows returns the offers that allow something.
func (a *Approval) Allows() []*Offer { return a.offers(ActAllow) }

// Denies returns the offers that deny it.
func (a *Approval) Denies() []*Offer { return a.offers(ActDeny) }

// AllowOnce returns the offer that allows the call this one time and changes nothing
// else, or nil.
func (a *Approval) AllowOnce() *Offer {
	for _, o := range a.Allows() {
		if o.onlyNow() {
			return o
		}
	}
	return nil
}

// DenyOnce returns the offer that denies the call this one time and changes nothing
// else, or nil. One that ends the agent's turn is returned only if there is no other.
func (a *Approval) DenyOnce() *Offer {
	var stops *Offer
	for _, o := range a.Denies() {
		switch {
		case o.onlyNow() && !o.Stops:
			return o
		case o.onlyNow() && stops == nil:
			stops = o
		}
	}
	return stops
}

// onlyNow reports whether the decision holds for this call alone.
func (o *Offer) onlyNow() bool {
	return (o.Scope == "" || o.Scope == ScopeOnce) && o.Rule == "" && o.Mode == ""
}

func (a *Approval) offers(act Act) []*Offer {
	var list []*Offer
	for i := range a.Offers {
		if a.Offers[i].Act == act {
			list = append(list, &a.Offers[i])
		}
	}
	return list
}
