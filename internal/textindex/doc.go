// Package textindex finds documents by their words, in memory.
//
// Documents are numbers that the caller gives out in increasing order. [Index.Add]
// takes the texts of one, [Index.Search] returns those that have every word of a
// query, each at the beginning of one of theirs, and [Index.Rank] those that have most
// of the rarer words of a text. [Words] is what counts as a word: letters and digits,
// in lower case; of scripts without spaces, every two characters in a row.
//
// It is made for a hundred thousand documents of some forty words: a word costs about
// a hundred bytes, and each document that has it one or two more. A document that was
// removed costs nothing but its place until [Index.Compact].
//
// Readers may run at the same time as each other, and not at the same time as a writer.
package textindex
