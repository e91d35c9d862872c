package words

// Script is what the scripts of the pages say. They get it as JSON.
type Script struct {
	Live           string `json:"live"`
	Connecting     string `json:"connecting"`
	Reconnecting   string `json:"reconnecting"`
	Offline        string `json:"offline"`
	SignedOut      string `json:"signedOut"`
	Full           string `json:"full"`
	Next           string `json:"next"`
	YouTyped       string `json:"youTyped"`
	KeptHere       string `json:"keptHere"`
	NotSent        string `json:"notSent"`
	Discard        string `json:"discard"`
	DraftSaved     string `json:"draftSaved"`
	DraftSignedOut string `json:"draftSignedOut"`
	DraftFailed    string `json:"draftFailed"`
	DraftOffline   string `json:"draftOffline"`
	Unread         string `json:"unread"`
	Sending        string `json:"sending"`
	SendSignedOut  string `json:"sendSignedOut"`
	SendGone       string `json:"sendGone"`
	SendTooLong    string `json:"sendTooLong"`
	Unsure         string `json:"unsure"`
	NoReply        string `json:"noReply"`
	WaitingToSend  string `json:"waitingToSend"`
	WaitingHere    string `json:"waitingHere"`
	NotSentYet     string `json:"notSentYet"`
	AskFirst       string `json:"askFirst"`
	SendNow        string `json:"sendNow"`
	CancelSend     string `json:"cancelSend"`
	Sent           string `json:"sent"`
	OneMoreStep    string `json:"oneMoreStep"`
	NotTaken       string `json:"notTaken"`
	PushAsking     string `json:"pushAsking"`
	PushDenied     string `json:"pushDenied"`
	PushWaiting    string `json:"pushWaiting"`
	PushNoReply    string `json:"pushNoReply"`
	PushFailed     string `json:"pushFailed"`
	PushApple      string `json:"pushApple"`
	PushCannot     string `json:"pushCannot"`
	PushBlocked    string `json:"pushBlocked"`
}
