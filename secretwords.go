package sayso

import "strings"

// The words of [Question.AsksForSecret], in lower case and without accents. Several
// languages share a list: a word that means something else in another one is not here.

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

func phrases(lines string) (all [][]string) {
	for l := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
		all = append(all, strings.Fields(l))
	}
	return all
}

var withoutAccents = strings.NewReplacer(
	"á", "a", "à", "a", "â", "a", "ä", "a", "é", "e", "è", "e", "ê", "e", "ë", "e", "í", "i", "î", "i", "ï", "i",
	"ó", "o", "ô", "o", "ö", "o", "ú", "u", "ù", "u", "û", "u", "ü", "u", "ñ", "n", "ç", "c", "ß", "ss",
)

var (
	secretWords = set(`password passwords passphrase passcode passwd pwd pin otp totp cvv cvc credential credentials token
		apikey apitoken mnemonic passwort kennwort zugangsdaten jeton identifiants contrasena contrasenas credenciales`)

	secretPhrases = phrases(`
		api key
		api keys
		api secret
		client secret
		app secret
		webhook secret
		shared secret
		your secret
		secret key
		private key
		ssh key
		access key
		encryption key
		signing key
		master key
		recovery code
		recovery codes
		backup code
		backup codes
		verification code
		security code
		one time code
		2fa code
		mfa code
		seed phrase
		recovery phrase
		credit card
		card number
		api schlussel
		privaten schlussel
		privater schlussel
		geheimen schlussel
		geheimer schlussel
		mot de passe
		mots de passe
		cle api
		cle d api
		cle privee
		cle secrete
		code secret
		code de verification
		phrase secrete
		clave api
		clave privada
		clave secreta
		clave de acceso
		tu clave
		su clave
		codigo de verificacion
		frase semilla`)

	// behind the name of a secret: it is about something else
	aboutIt = set(`policy policies manager managers management rotation length hash hashes hashing field fields form reset resets
		rule rules requirement requirements strategy generator storage store format type types name names expiry expiration lifetime ttl
		limit limits count counts budget usage size prompt path location provider endpoint flow page screen dialog input column variable
		handling vault scanner scanning auth authentication based protected service server id ids bucket validation check strength
		complexity cost scope scopes permissions permission exchange refresh window windows bar richtlinie richtlinien regeln lange`)

	imperative = set(`paste enter type provide give send tell share reveal supply input submit write show
		gib geben gebt nenne nennen sende senden schicke schicken tippe tippen teile
		entrez saisissez collez donnez donne envoyez indiquez tapez fournissez communiquez partagez
		introduce introduzca ingresa ingrese escribe escriba pega pegue dame deme proporciona proporcione envia envie comparte dime`)
	before = set(`please kindly to you and then or just now must simply here bitte und sie vous plait et favor y usted`) // an imperative, or a polite question

	needs = set(`need require brauche benotige brauchen benotigen besoin necesito necesitamos`)
	first = set(`i we ich wir ai avons will ll also still yo`)

	questionFor = map[string]bool{
		"what is": true, "what s": true, "whats the": true, "what are": true, "wie lautet": true, "wie ist": true, "was ist": true,
		"quel est": true, "quelle est": true, "quels sont": true, "cual es": true, "cuales son": true,
	}
	indefinite = set(`a an ein eine un une una`)
	possessive = set(`your ur deine deinen dein ihr ihre ihren votre vos ton ta tes tu tus su sus`)
	negated    = set(`not never dont t nicht nie ne jamais no nunca`)

	// between the demand and the secret: the demand is for something else
	between = set(`of name names about how whether which where if when why to or not without instead that who before after
		de del des von ob wie wo welche welches que si como donde comment ou pour para fur`)

	asksWhich = set(`which how where when why whether should shall welche welcher welches wie wo wann warum soll sollen sollte mussen
		quel quelle comment ou pourquoi como donde cuando`)
	atTheEnd = set(`eingeben angeben nennen einfugen senden schicken mitteilen eintippen`)

	// what may be done with a secret: "Rotate the token?" is not the label of a field
	does = set(`rotate revoke delete remove reset create generate store use reuse change update add keep encrypt hash save print log
		check renew refresh issue make set hide mask forgot wrong invalid no missing expired replace drop skip allow fix test validate
		verify what is are was ist est es parse ignore commit move migrate rename require support share`)
)
