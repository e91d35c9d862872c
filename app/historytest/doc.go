// Package historytest writes down what the users of a hub did to an ask and what they were told, and says whether that can
// be: the first answer wins, everybody is told that answer, and nobody is told anything else afterwards.
//
// A [History] takes operations of any client: of a hub in this process (app/engine/faulttest) or over HTTP
// (app/clustertest). For tests only.
package historytest
