package dialect_test

var copilotCalls = calls{
	single:  `{"question":"Which database should we use?","choices":["PostgreSQL (Recommended)","SQLite","MongoDB"],"allow_freeform":true}`,
	invalid: `{"questions":[{"question":"","choices":["Yes",""," Yes"]},{"question":"And then?"}]}`,
}
