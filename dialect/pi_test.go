package dialect_test

var piCalls = calls{
	single: `{"questions":[{"question":"Which database should we use?","header":"Database Selection","options":[
			{"label":"PostgreSQL (Recommended)","description":"Battle-tested relational DB"},
			{"label":"SQLite","description":"Lightweight, file-based"},
			{"label":"MongoDB","description":"Document store"}]}],
		"metadata":{"source":"project-setup"}}`,
	multi: `{"questions":[{"question":"Which features should we include?","header":"Feature Selection","multiSelect":true,"options":[
			{"label":"Auth","description":"OAuth2 + JWT"},
			{"label":"Search"},
			{"label":"Export"}]}]}`,
	form: `{"questions":[
			{"question":"Which database should we use?","header":"Database Selection","options":[
				{"label":"PostgreSQL (Recommended)","description":"Battle-tested relational DB"},
				{"label":"SQLite","description":"Lightweight, file-based"}]},
			{"question":"Which features should we include?","multiSelect":true,"options":[
				{"label":"Auth"},{"label":"Search"}]},
			{"question":"What should we name this service?","header":"Service Setup"}]}`,
	invalid: `{"questions":[{"question":" ","options":["a","a"]},{"question":"How many?","options":3,"multiSelect":"perhaps"}]}`,
}
