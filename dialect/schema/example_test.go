package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect/schema"
)

// The schema of a tool that asks up to three questions, each with two to four
// options. The limits also go into sayso.ToolSpec, whose Validate enforces them.
func Example() {
	limits := sayso.Limits{MaxQuestions: 3, MinOptions: 2, MaxOptions: 4}
	document := schema.Object(
		schema.Required("questions", schema.Questions(limits, "What to ask", schema.Object(
			schema.Required("question", schema.Text("The whole question")),
			schema.Optional("options", schema.Options(limits, "The choices", schema.Text(""))),
			schema.Optional("multiSelect", schema.Boolean("Whether several may be chosen").With("default", false)),
		))),
	).Document()

	var indented bytes.Buffer
	if err := json.Indent(&indented, document, "", "  "); err != nil {
		panic(err)
	}
	fmt.Println(indented.String())
	// Output:
	// {
	//   "$schema": "https://json-schema.org/draft/2020-12/schema",
	//   "type": "object",
	//   "required": [
	//     "questions"
	//   ],
	//   "properties": {
	//     "questions": {
	//       "type": "array",
	//       "minItems": 1,
	//       "maxItems": 3,
	//       "description": "What to ask",
	//       "items": {
	//         "type": "object",
	//         "required": [
	//           "question"
	//         ],
	//         "properties": {
	//           "question": {
	//             "type": "string",
	//             "minLength": 1,
	//             "description": "The whole question"
	//           },
	//           "options": {
	//             "type": "array",
	//             "minItems": 2,
	//             "maxItems": 4,
	//             "description": "The choices",
	//             "items": {
	//               "type": "string",
	//               "minLength": 1
	//             }
	//           },
	//           "multiSelect": {
	//             "type": "boolean",
	//             "default": false,
	//             "description": "Whether several may be chosen"
	//           }
	//         }
	//       }
	//     }
	//   }
	// }
}
