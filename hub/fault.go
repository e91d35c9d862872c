package hub

import (
	"errors"
	"io/fs"
	"slices"
)

// Fault is why a store takes no writes. Clients read it on the wire, so a fault
// keeps its name.
type Fault string

// The faults.
const (
	FaultDiskFull      Fault = "disk-full"
	FaultNotWritable   Fault = "not-writable"   // no permission, or a file system that is read-only
	FaultDamaged       Fault = "damaged"        // records are lost; only a person can go on from there
	FaultNoDescriptors Fault = "no-descriptors" // the process can open no more files
	FaultStopped       Fault = "stopped"        // it could not write, for whatever other reason
)

type faultText struct {
	fault     Fault
	what, fix string
	passes    bool // a hub that runs goes on by itself when that was done
}

// faultTexts say what is wrong and what to do about it, without a word about the
// machine it happened on.
var faultTexts = []faultText{
	{FaultDiskFull, "the hub's disk is full", "free some space", true},
	{FaultNotWritable, "the hub cannot write to its folder", "make the folder and its file system writable", true},
	{FaultDamaged, "the hub's store is damaged", "restore a backup, or move the folder away to start empty", false},
	{FaultNoDescriptors, "the hub is out of file descriptors", "raise the limit of open files (ulimit -n), or end what uses them", true},
	{FaultStopped, "the hub's store has stopped", "look at the hub's log", true},
}

// Faults returns every fault there is.
func Faults() []Fault {
	all := make([]Fault, len(faultTexts))
	for i, t := range faultTexts {
		all[i] = t.fault
	}
	return all
}

func (f Fault) text() faultText {
	i := slices.IndexFunc(faultTexts, func(t faultText) bool { return t.fault == f })
	if i < 0 {
		return FaultStopped.text()
	}
	return faultTexts[i]
}

// What says what is wrong. It names nothing of the machine, so anybody may read it.
func (f Fault) What() string { return f.text().what }

// Fix says what whoever runs the hub can do about it.
func (f Fault) Fix() string { return f.text().fix }

// Advice says what is wrong with a hub that runs, what to do, and what the hub does
// then. Anybody may read it.
func (f Fault) Advice() string {
	t := f.text()
	s := t.what + ": " + t.fix
	if t.passes {
		s += "; the hub then goes on by itself"
	}
	return s
}

// StorageError says that a store takes no writes, and why. It comes soon, where
// [ErrUndecided] comes only when trying again was in vain, and may come with it:
// then the write that met the fault may have been made all the same.
type StorageError struct {
	Fault Fault
	Dir   string // the store's folder; empty: not to be told, or not known
	Err   error  // what the system said; may be nil
}

// Error is for whoever runs the hub. Others are told what the fault says.
func (e *StorageError) Error() string {
	if e.Fault == FaultDamaged && e.Err != nil {
		return e.Err.Error() // it says what is lost, and what to do
	}
	return e.What() + ": " + e.Fault.Fix()
}

// What says what is wrong, where, and what the system said.
func (e *StorageError) What() string {
	dir, says := e.Dir, e.Err
	if path := (*fs.PathError)(nil); errors.As(e.Err, &path) {
		dir, says = path.Path, path.Err
	}
	s := e.Fault.What()
	switch {
	case dir != "" && says != nil:
		s += " (" + dir + ": " + says.Error() + ")"
	case dir != "":
		s += " (" + dir + ")"
	case says != nil:
		s += " (" + says.Error() + ")"
	}
	return s
}

func (e *StorageError) Unwrap() error { return e.Err }

// FaultOf returns the fault that an error tells of, or "" if it tells of none.
func FaultOf(err error) Fault {
	var e *StorageError
	if errors.As(err, &e) {
		return e.Fault
	}
	return ""
}
