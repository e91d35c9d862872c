package auth

import "strings"

// Device describes a browser by its User-Agent header, as in "Firefox on Linux".
// It is made of our own words only: the header is whatever a client sends.
func Device(userAgent string) string {
	name, system := "A browser", ""
	for _, b := range [...][2]string{ // the more special first: most name the others as well
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"},
		{"Chrome/", "Chrome"}, {"CriOS/", "Chrome"}, {"Safari/", "Safari"},
	} {
		if strings.Contains(userAgent, b[0]) {
			name = b[1]
			break
		}
	}
	for _, s := range [...][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"CrOS", "ChromeOS"}, {"Windows", "Windows"},
		{"Macintosh", "macOS"}, {"Linux", "Linux"},
	} {
		if strings.Contains(userAgent, s[0]) {
			system = " on " + s[1]
			break
		}
	}
	return name + system
}
