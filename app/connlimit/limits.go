package connlimit

// Limits are how many connections there may be at a time.
type Limits struct {
	Credential int // those whose last request had a credential
	PerAddress int // of these, from one address; zero: as many as there are places

	Anonymous           int // all others
	AnonymousPerAddress int // of these, from one address; zero: as many as there are places
}

const (
	// mostByDefault is how many connections there are at most where the system
	// would allow more: with a stream on each, they take about half a gigabyte.
	mostByDefault = 16_384
	mostAnonymous = 512

	// What TCP leaves alone: the store has about 20 files open, more while it
	// compacts or makes snapshots; the owner's programs have one connection each.
	forStore = 96
	forOwner = 64

	fewest = 16
)

// Derive returns the limits for a total. If that is zero, it is what a process
// with so many file descriptors can spare, and it is never more than that. Of the
// total a quarter is for connections without a credential, at most 512. One address
// gets half of each.
func Derive(total, files int) Limits {
	spare := max(files-forStore-forOwner, fewest)
	if total <= 0 {
		total = mostByDefault
	}
	total = max(min(total, spare), 2)
	anonymous := min(max(total/4, 1), mostAnonymous)
	credential := total - anonymous
	return Limits{
		Credential: credential, PerAddress: max(credential/2, 1),
		Anonymous: anonymous, AnonymousPerAddress: max(anonymous/2, 1),
	}
}

// Total is how many connections there may be together.
func (l Limits) Total() int { return l.Credential + l.Anonymous }

// AnyAddress returns the limits without those for one address, for a server that
// sees only the address of the proxy in front of it.
func (l Limits) AnyAddress() Limits {
	l.PerAddress, l.AnonymousPerAddress = 0, 0
	return l
}
