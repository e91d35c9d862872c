package natsstore

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/saysohq/sayso/hub"
)

// The audit of a shard is a chain of lines, in one file a day. A line is JSON and begins with the SHA-256 of the rest of
// it; the rest begins with the sum of the line before.
//
//	{"sum":"<64 hex>","prev":"<64 hex>","n":1,"seq":…,"at":…,"time":…,"address":{…},"record":{…}}

// entry is a line without its sum.
type entry struct {
	Prev    string          `json:"prev"`              // the sum of the line before; empty in the first
	N       uint64          `json:"n"`                 // counts the lines from 1
	Seq     uint64          `json:"seq"`               // the revision of the ticket
	At      uint64          `json:"at"`                // where the archive has it; zero: it was read elsewhere
	Time    time.Time       `json:"time"`              // when it was stored
	Lineage string          `json:"lineage,omitempty"` // of the store: revisions of another may be lower
	Address hub.Address     `json:"address"`
	Record  json.RawMessage `json:"record,omitempty"` // the data of the ticket, if it is JSON,
	Bytes   []byte          `json:"bytes,omitempty"`  // or else here
}

func (e *entry) data() []byte {
	if e.Record != nil {
		return e.Record
	}
	return e.Bytes
}

func (e *entry) setData(data []byte) {
	var compact bytes.Buffer
	if json.Compact(&compact, data) == nil && bytes.Equal(compact.Bytes(), data) {
		e.Record = data
	} else {
		e.Bytes = data
	}
}

const (
	lineHead = `{"sum":"`
	sumHex   = 2 * sha256.Size
	lineTail = `",`
)

// line spells an entry and returns its sum.
func (e *entry) line() (line []byte, sum string, err error) {
	var rest bytes.Buffer
	enc := json.NewEncoder(&rest)
	enc.SetEscapeHTML(false) // the data stays byte for byte
	if err := enc.Encode(e); err != nil {
		return nil, "", err
	}
	body := rest.Bytes()[1:] // without the brace
	h := sha256.Sum256(body[:len(body)-1])
	sum = hex.EncodeToString(h[:])
	return slices.Concat([]byte(lineHead+sum+lineTail), body), sum, nil
}

// parseLine reads a line, without its end, and checks its sum.
func parseLine(line []byte) (e *entry, sum string, err error) {
	rest, ok := bytes.CutPrefix(line, []byte(lineHead))
	if !ok || len(rest) < sumHex+len(lineTail) || string(rest[sumHex:sumHex+len(lineTail)]) != lineTail {
		return nil, "", errors.New("it is not a line of an audit")
	}
	sum, body := string(rest[:sumHex]), rest[sumHex+len(lineTail):]
	if h := sha256.Sum256(body); hex.EncodeToString(h[:]) != sum {
		return nil, "", errors.New("its sum is wrong")
	}
	e = new(entry)
	if err := json.Unmarshal(slices.Concat([]byte("{"), body), e); err != nil {
		return nil, "", err
	}
	return e, sum, nil
}

// chain is the end of an audit.
type chain struct {
	sum   string
	last  entry // without its data
	file  string
	joins bool // the next entry may be any
}

// follow checks that an entry goes on where the chain ends.
func (c *chain) follow(e *entry, sum string) error {
	switch {
	case c.joins:
		c.joins = false
	case e.N != c.last.N+1:
		return fmt.Errorf("it is line %d, after line %d", e.N, c.last.N)
	case e.Prev != c.sum:
		return errors.New("the line before is not the one it was written after")
	case e.Seq <= c.last.Seq && e.Lineage == c.last.Lineage:
		return fmt.Errorf("it has revision %d, after %d", e.Seq, c.last.Seq)
	}
	c.sum, c.last = sum, *e
	c.last.Record, c.last.Bytes = nil, nil
	return nil
}

// auditFiles returns the files of a shard, in order; of all shards if ss is empty.
func auditFiles(dir, ss string) ([]string, error) {
	all, err := os.ReadDir(dir)
	var files []string
	for _, f := range all { // sorted by name
		if m := auditName.FindStringSubmatch(f.Name()); m != nil && (ss == "" || m[1] == ss) {
			files = append(files, f.Name())
		}
	}
	return files, err
}

var auditName = regexp.MustCompile(`^audit-([0-9]+)-[0-9]{8}\.jsonl$`)

// auditShards returns the shards that have files.
func auditShards(dir string) ([]string, error) {
	files, err := auditFiles(dir, "")
	var shards []string
	for _, f := range files {
		shards = append(shards, auditName.FindStringSubmatch(f)[1])
	}
	slices.Sort(shards)
	return slices.Compact(shards), err
}

func auditFile(ss string, day time.Time) string {
	return "audit-" + ss + "-" + day.UTC().Format("20060102") + ".jsonl"
}

// errTorn says that the last line has no end: a crash cut it short, and the next export writes it again.
var errTorn = errors.New("the last line of the audit is cut short")

func truncate(dir, file string, size int64) error {
	return os.Truncate(filepath.Join(dir, file), size)
}

// readChain reads the lines of a shard in order and checks that they are a chain. It returns the end of it, as far as it
// holds, and how many bytes of the last file that is.
func readChain(dir, ss string, each func(e *entry, sum string) error) (c chain, size int64, err error) {
	files, err := auditFiles(dir, ss)
	if err != nil {
		return c, 0, err
	}
	for i, name := range files {
		c.file = name
		if size, err = c.readFile(filepath.Join(dir, name), each); err == errTorn && i < len(files)-1 {
			err = &AuditError{File: name, Line: -1, Problem: err}
		}
		if err != nil {
			return c, size, err
		}
	}
	return c, size, nil
}

// lastOfChain is readChain for the last file alone, which is enough to go on from: what lies before it is taken as it is.
func lastOfChain(dir, ss string) (c chain, size int64, err error) {
	files, err := auditFiles(dir, ss)
	if err != nil || len(files) == 0 {
		return c, 0, err
	}
	c.file, c.joins = files[len(files)-1], true
	if size, err = c.readFile(filepath.Join(dir, c.file), nil); c.joins { // it has no whole line
		return readChain(dir, ss, nil)
	}
	return c, size, err
}

// readFile returns how many bytes of the file hold.
func (c *chain) readFile(path string, each func(e *entry, sum string) error) (size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<16)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			return size, nil
		}
		if err == io.EOF {
			return size, errTorn
		}
		if err != nil {
			return size, err
		}
		e, sum, err := parseLine(bytes.TrimSuffix(line, []byte("\n")))
		if err == nil {
			err = c.follow(e, sum)
		}
		if err == nil && each != nil {
			err = each(e, sum)
		}
		if err != nil {
			return size, &AuditError{File: path, Line: n, Problem: err}
		}
		size += int64(len(line))
	}
}

// AuditError says where an audit was changed.
type AuditError struct {
	File    string
	Line    int // counted from 1; -1 is the last
	Problem error
}

func (e *AuditError) Error() string {
	return fmt.Sprintf("the audit was changed: %s, line %d: %v", e.File, e.Line, e.Problem)
}

// Unwrap returns the problem.
func (e *AuditError) Unwrap() error { return e.Problem }
