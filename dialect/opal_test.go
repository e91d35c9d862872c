package dialect_test

var opalCalls = calls{
	single:  `{"question":"Which database should we use?","choices":["PostgreSQL (Recommended)","SQLite","MongoDB"]}`,
	invalid: `{"question":" ","choices":["Yes","Yes",["No"]]}`,
}
