package dialect_test

var cursorCalls = calls{
	single: `{"toolCallId":"call_1","title":"Storage","questions":[
			{"id":"db","prompt":"Which database should we use?","allowMultiple":false,"options":[
				{"id":"pg","label":"PostgreSQL (Recommended)"},
				{"id":"sqlite","label":"SQLite"},
				{"id":"mongo","label":"MongoDB"}]}]}`,
	multi: `{"questions":[
			{"id":"features","prompt":"Which features should we include?","allowMultiple":true,"options":[
				{"id":"auth","label":"Auth"},
				{"id":"search","label":"Search"},
				{"id":"export","label":"Export"}]}]}`,
	form: `{"title":"Setup","questions":[
			{"id":"db","prompt":"Which database should we use?","options":[
				{"id":"pg","label":"PostgreSQL (Recommended)"},
				{"id":"sqlite","label":"SQLite"}]},
			{"id":"features","prompt":"Which features should we include?","allowMultiple":true,"options":[
				{"id":"auth","label":"Auth"},
				{"id":"search","label":"Search"}]}]}`,
	invalid: `{"questions":[{"id":"a","prompt":"","options":[]},{"id":"a","prompt":"Go on?","allowMultiple":"perhaps","options":[{"id":"y","label":"Yes"},{"id":"y","label":"No"}]}]}`,
}
