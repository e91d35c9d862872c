package outbound

import "net/netip"

// special4 are the networks of IPv4 that are not the internet, from the registry of
// special purpose addresses (RFC 6890), except those that netip itself knows.
var special4 = prefixes(
	"0.0.0.0/8",       // this host
	"100.64.0.0/10",   // shared by customers of a provider; also Tailscale
	"192.0.0.0/24",    // for protocols
	"192.0.2.0/24",    // documentation
	"192.88.99.0/24",  // relays of 6to4
	"198.18.0.0/15",   // benchmarks
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"240.0.0.0/4",     // reserved, and broadcast
)

// global6 is what IPv6 has in use for the internet. Outside are, among others, those
// that embed an IPv4 address: ::/96, NAT64 at 64:ff9b::/96 and 64:ff9b:1::/48.
var global6 = netip.MustParsePrefix("2000::/3")

// special6 are the parts of global6 that are not the internet.
var special6 = prefixes(
	"2001::/23",     // for protocols; Teredo, which embeds IPv4 addresses
	"2001:db8::/32", // documentation
	"2002::/16",     // 6to4, which embeds IPv4 addresses
	"3fff::/20",     // documentation
)

// Public reports whether an address belongs to the internet.
func Public(a netip.Addr) bool {
	if a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	if a.Is4() {
		return !within(special4, a)
	}
	return global6.Contains(a) && !within(special6, a)
}

func within(nets []netip.Prefix, a netip.Addr) bool {
	for _, p := range nets {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

func prefixes(texts ...string) []netip.Prefix {
	var out []netip.Prefix
	for _, s := range texts {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}
