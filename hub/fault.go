package hub

import (
	"errors"
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
}

// faultTexts say what is wrong and what to do about it, without a word about the
// machine it happened on.
var faultTexts = []faultText{
	{FaultDiskFull, "the hub's disk is full", "free some space; the hub then goes on by itself"},
	{FaultNotWritable, "the hub cannot write to its folder", "make the folder and its file system writable; the hub then goes on by itself"},
	{FaultDamaged, "the hub's store is damaged", "restore a backup, or move the folder away to begin anew"},
	{FaultNoDescriptors, "the hub has no file descriptors left", "raise the limit of open files (ulimit -n), or end what uses them; the hub then goes on by itself"},
	{FaultStopped, "the hub's store has stopped", "look at the hub's log; the hub tries again by itself"},
}

// Faults returns every fault there is.
func Faults() []Fault {
	all := make([]Fault, len(faultTexts))
	for i, t := range faultTexts {
		all[i] = t.fault
	}
	return all
}

// text returns what is wrong and what to do about it.
func (f Fault) text() (what, fix string) {
	i := slices.IndexFunc(faultTexts, func(t faultText) bool { return t.fault == f })
	if i < 0 {
		return FaultStopped.text()
	}
	return faultTexts[i].what, faultTexts[i].fix
}

// What says what is wrong. It names nothing of the machine, so anybody may read it.
func (f Fault) What() string { what, _ := f.text(); return what }

// Fix says what whoever runs the hub can do about it.
func (f Fault) Fix() string { _, fix := f.text(); return fix }

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
	s := e.Fault.What()
	switch {
	case e.Fault == FaultDamaged && e.Err != nil:
		return e.Err.Error() // it says what is lost, and what to do
	case e.Dir != "" && e.Err != nil:
		s += " (" + e.Dir + ": " + e.Err.Error() + ")"
	case e.Dir != "":
		s += " (" + e.Dir + ")"
	case e.Err != nil:
		s += " (" + e.Err.Error() + ")"
	}
	return s + ": " + e.Fault.Fix()
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
