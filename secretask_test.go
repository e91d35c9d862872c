package sayso

import (
	"strings"
	"testing"
)

func TestAsksForSecret(t *testing.T) {
	t.Parallel()
	text := func(s string) Question { return Question{Text: s} }
	choice := func(s string, labels ...string) Question {
		q := Question{Text: s}
		for _, l := range labels {
			q.Options = append(q.Options, Option{Label: l})
		}
		return q
	}
	for _, q := range []Question{
		text("Paste your GitHub password"),
		text("Please enter the API token for the staging cluster."),
		text("I need your SSH passphrase to go on."),
		text("What is the password of the database?"),
		text("What's your PIN?"),
		text("Can you paste the private key here?"),
		text("To deploy, I will need you to send me the AWS secret access key."),
		text("Everything is ready. Enter your\none-time code: "),
		text("Type the 2FA code from your phone"),
		text("Password:"),
		text("GitHub token?"),
		text("Tell me your credit card number"),
		text("Provide the client secret"),
		text("Wie lautet das Passwort?"),
		text("Bitte das Datenbankpasswort eingeben"),
		text("Gib mir dein Kennwort."),
		text("Ich brauche den API-Schlüssel."),
		text("Entrez votre mot de passe"),
		text("Quel est le code PIN ?"),
		text("J'ai besoin de ton mot de passe."),
		text("Introduzca su contraseña"),
		text("¿Cuál es la contraseña?"),
		text("Necesito tu clave para continuar"),
		choice("Paste your GitHub password", "Done", "Skip"),
		choice("How shall I sign in?", "Paste the token below", "Skip"),
		{Header: "Password", Text: "For the registry, please."},
		{Text: "One more thing", Body: "The build is done.\n\nNow enter the signing key."},
	} {
		if !q.AsksForSecret() {
			t.Errorf("not noticed: %q %q", q.Text, q.Header)
		}
	}
	for _, q := range []Question{
		text("Which password policy?"),
		text("Which password policy should new users get?"),
		text("What is the token limit of this model?"),
		text("What is a token?"),
		text("What is the name of the API key?"),
		text("How should I rotate the API key?"),
		text("Where is the API token stored?"),
		text("Where should I send the token?"),
		text("Should users enter a password twice?"),
		text("Rotate the API token?"),
		text("Never share your password. What colour should the button have?"),
		text("Do not enter your password here. Which branch?"),
		text("Tell me which version to pin"),
		text("What shall the service be called?"),
		text("Which key should open the menu?"),
		text("What is the secret to a good test?"),
		text("Enter the name of the token"),
		text("Welche Passwort-Richtlinie soll gelten?"),
		text("Wo sollen Nutzer ihr Passwort eingeben?"),
		text("Quelle est la politique de mot de passe ?"),
		text("¿Cuál es la política de contraseñas?"),
		choice("Rotate the API token?", "Yes", "No"),
		choice("Which password policy?", "12 characters", "16 characters"),
		choice("Enter the password in a file or in the environment?", "File", "Environment"),
		choice("Share the API key between services?", "Yes", "No"),
		choice("Password hashing", "bcrypt", "argon2"),
		{Header: "Token", Text: "How long should it hold?"},
		{Header: "Auth", Text: "Which one?", Options: []Option{{Label: "Password"}, {Label: "Token"}}},
		{Text: "Paste your password", Secret: true}, // it says so itself
	} {
		if q.AsksForSecret() {
			t.Errorf("wrongly noticed: %q %q", q.Text, q.Header)
		}
	}
	a := &Ask{Questions: []Question{text("Which branch?"), text("Your password?")}}
	if a.Warning() != SecretWarning || !strings.Contains(RenderIntroduction(a), SecretWarning+"\n") {
		t.Error("the ask has no warning")
	}
	if a.Questions = a.Questions[:1]; a.Warning() != "" || strings.Contains(RenderIntroduction(a), "Careful") {
		t.Error("a harmless ask has a warning")
	}
}

func FuzzAsksForSecret(f *testing.F) {
	f.Add("Paste your password", "Token", "body\n\nEnter the key", "Skip")
	f.Add("Bitte Passwort eingeben", "", "", "")
	f.Add(strings.Repeat("enter your ", 2000), "", "\n\n", "api key")
	f.Fuzz(func(t *testing.T, text, header, body, label string) {
		q := Question{Text: text, Header: header, Body: body}
		q.AsksForSecret()
		q.Options = []Option{{Label: label}}
		q.AsksForSecret()
		q.Secret = true
		if q.AsksForSecret() {
			t.Error("a question that is marked needs no warning")
		}
	})
}

func TestWantsSecret(t *testing.T) {
	for _, tt := range []struct {
		question Question
		want     bool
	}{
		{Question{Text: "Which token?", Secret: true}, true},
		{Question{Text: "Paste your password"}, true},
		{Question{Text: "Which database?"}, false},
	} {
		a := &Ask{Questions: []Question{{Text: "Which name?"}, tt.question}}
		if got := a.WantsSecret(); got != tt.want || tt.question.WantsSecret() != tt.want {
			t.Errorf("%q: %v, want %v", tt.question.Text, got, tt.want)
		}
	}
}
