package dialect_test

var clineCalls = calls{
	single:  `{"question":"Which database should we use?","options":["PostgreSQL (Recommended)","SQLite","MongoDB"]}`,
	invalid: `{"question":" ","options":["Yes"]}`,
}
