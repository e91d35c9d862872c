package dialect_test

var claudeCalls = calls{
	single: `{"questions":[{"question":"Which database should we use?","header":"Database","multiSelect":false,"options":[
			{"label":"PostgreSQL (Recommended)","description":"Battle-tested relational DB"},
			{"label":"SQLite","description":"Lightweight, file-based","preview":"file: app.db"},
			{"label":"MongoDB","description":"Document store"}]}]}`,
	multi: `{"questions":[{"question":"Which features should we include?","header":"Features","multiSelect":true,"options":[
			{"label":"Auth","description":"OAuth2 + JWT"},
			{"label":"Search","description":"Full text"},
			{"label":"Export","description":"CSV"}]}]}`,
	form: `{"questions":[
			{"question":"Which database should we use?","header":"Database","multiSelect":false,"options":[
				{"label":"PostgreSQL (Recommended)","description":"Battle-tested relational DB"},
				{"label":"SQLite","description":"Lightweight, file-based"}]},
			{"question":"Which features should we include?","header":"Features","multiSelect":true,"options":[
				{"label":"Auth","description":"OAuth2 + JWT"},
				{"label":"Search","description":"Full text"}]}]}`,
	invalid: `{"questions":[{"question":" ","options":["Yes"]},{"question":"Same?","header":"A","options":["a","a"]},{"question":"Same?","header":"B","options":3}]}`,
}
