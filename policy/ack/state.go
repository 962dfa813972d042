package ack

// State says whether an entry counts, and if not why.
type State string

// The states. Only Good and Expiring count.
const (
	// Good is an entry that counts.
	Good State = "good"
	// Expiring is an entry that counts and ends within [ExpiringDays].
	Expiring State = "expiring"
	// NoTrust is any entry where there is no trusted source of signers.
	NoTrust State = "no_trusted_source"
	// Unsigned is an entry without a signature where the policy wants one.
	Unsigned State = "unsigned"
	// Unreadable is an entry whose signature is malformed or too weak.
	Unreadable State = "unreadable_signature"
	// WrongNamespace is an entry whose signature is for another use.
	WrongNamespace State = "wrong_namespace"
	// Altered is an entry that says something else than was signed.
	Altered State = "altered"
	// Untrusted is an entry that is signed by nobody who may.
	Untrusted State = "untrusted"
	// KeyNotValid is an entry whose key is not yet or no longer valid.
	KeyNotValid State = "key_not_valid"
	// RevokedKey is an entry whose key is revoked.
	RevokedKey State = "revoked"
	// SelfGranted is an entry that an author of the change signed.
	SelfGranted State = "self_granted"
	// OtherRepository is an entry for another repository.
	OtherRepository State = "other_repository"
	// TooLong is an entry that lasts longer than the policy allows.
	TooLong State = "too_long"
	// NotYet is an entry that is created in the future.
	NotYet State = "not_yet"
	// Expired is an entry whose time is over.
	Expired State = "expired"
	// TooMany is an entry for fewer findings than there are.
	TooMany State = "too_many"
	// Changed is an entry for an instruction that has changed since.
	Changed State = "changed"
	// Unused is an entry that no finding matches.
	Unused State = "unused"
)

// Counts reports whether an entry in this state acknowledges anything.
func (s State) Counts() bool { return s == Good || s == Expiring }
