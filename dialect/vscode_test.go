package dialect_test

var vscodeCalls = calls{
	single: `{"questions":[{"header":"Database","question":"Which database should we use?","message":"We expect **10 GB** a year.","options":[
			{"label":"PostgreSQL","description":"Battle-tested relational DB","recommended":true},
			{"label":"SQLite","description":"Lightweight, file-based"},
			{"label":"MongoDB"}]}]}`,
	multi: `{"questions":[{"header":"Features","question":"Which features should we include?","multiSelect":true,"options":[
			{"label":"Auth"},{"label":"Search"},{"label":"Export"}]}]}`,
	form: `{"questions":[
			{"header":"Database","question":"Which database should we use?","options":[
				{"label":"PostgreSQL","recommended":true},
				{"label":"SQLite"}]},
			{"header":"Features","question":"Which features should we include?","multiSelect":true,"allowFreeformInput":false,"options":[
				{"label":"Auth"},{"label":"Search"}]},
			{"header":"Name","question":"What should the service be called?"}]}`,
	invalid: `{"questions":[{"header":"A","question":"Go on?","options":["Yes"]},{"header":"A","question":"","message":[]}]}`,
}
