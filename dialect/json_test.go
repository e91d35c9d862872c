package dialect_test

var jsonCalls = calls{
	single: `{"questions":[{"question":"Which database should we use?","header":"Database","options":[
			{"label":"PostgreSQL (Recommended)","description":"Battle-tested relational DB"},
			{"label":"SQLite","description":"Lightweight, file-based"},
			{"label":"MongoDB"}]}]}`,
	multi: `{"questions":[{"question":"Which features should we include?","multiSelect":true,"options":[
			{"label":"Auth"},{"label":"Search"},{"label":"Export"}]}]}`,
	form: `{"questions":[
			{"question":"Which database should we use?","options":[
				{"label":"PostgreSQL (Recommended)"},{"label":"SQLite"}]},
			{"question":"Which features should we include?","multiSelect":true,"options":[
				{"label":"Auth"},{"label":"Search"}]}]}`,
	invalid: `{"questions":[
			{"question":"One?","options":["Yes"]},
			{"question":"Two?","options":["a","a"]},
			{"question":"Three?","options":3},
			{"question":" ","options":["a","b"]},
			{"question":"Five?","options":["a","b","c","d","e"]}]}`,
}
