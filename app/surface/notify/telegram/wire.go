package telegram

import (
	"encoding/json"
	"errors"
)

// What is read of the Bot API. Fields that are not here are of no concern.
type (
	user struct {
		ID       int64  `json:"id"`
		IsBot    bool   `json:"is_bot"`
		Username string `json:"username"`
	}
	chat struct {
		ID   int64  `json:"id"`
		Type string `json:"type"`
	}
	message struct {
		ID       int64           `json:"message_id"`
		Chat     chat            `json:"chat"`
		From     *user           `json:"from"`
		Text     string          `json:"text"`
		ReplyTo  *message        `json:"reply_to_message"`
		External json.RawMessage `json:"external_reply"`
		Forward  json.RawMessage `json:"forward_origin"`
	}
	query struct {
		ID      string   `json:"id"`
		From    user     `json:"from"`
		Message *message `json:"message"`
		Data    string   `json:"data"`
	}
	update struct {
		ID      int64    `json:"update_id"`
		Message *message `json:"message"`
		Query   *query   `json:"callback_query"`
	}
)

// parse reads an update. Of one that has another form than documented only the id is
// left: it is confirmed and otherwise passed over, as it would come for ever.
func parse(data []byte) (*update, error) {
	u := &update{}
	if err := json.Unmarshal(data, u); err != nil {
		var bare struct {
			ID int64 `json:"update_id"`
		}
		if err := json.Unmarshal(data, &bare); err != nil || bare.ID <= 0 {
			return nil, errors.New("telegram: an update without an id")
		}
		return &update{ID: bare.ID}, nil
	}
	if u.ID <= 0 {
		return nil, errors.New("telegram: an update without an id")
	}
	return u, nil
}

// What is sent. There is no parse mode: nothing in a text is markup.
type (
	getUpdates struct {
		Offset  int64    `json:"offset,omitempty"`
		Limit   int      `json:"limit"`
		Timeout int      `json:"timeout"`
		Allowed []string `json:"allowed_updates"`
	}
	sendMessage struct {
		Chat    int64    `json:"chat_id"`
		Text    string   `json:"text"`
		Preview preview  `json:"link_preview_options"`
		Silent  bool     `json:"disable_notification,omitempty"`
		Protect bool     `json:"protect_content"`
		ReplyTo *replyTo `json:"reply_parameters,omitempty"`
		Markup  any      `json:"reply_markup,omitempty"`
	}
	editMessage struct {
		Chat    int64    `json:"chat_id"`
		Message int64    `json:"message_id"`
		Text    string   `json:"text"`
		Preview preview  `json:"link_preview_options"`
		Markup  keyboard `json:"reply_markup"`
	}
	deleteMessage struct {
		Chat    int64 `json:"chat_id"`
		Message int64 `json:"message_id"`
	}
	answerQuery struct {
		ID    string `json:"callback_query_id"`
		Text  string `json:"text,omitempty"`
		Alert bool   `json:"show_alert,omitempty"`
	}
	preview struct {
		Off bool `json:"is_disabled"`
	}
	replyTo struct {
		Message int64 `json:"message_id"`
		Anyway  bool  `json:"allow_sending_without_reply"`
	}
	keyboard struct {
		Rows [][]button `json:"inline_keyboard"`
	}
	button struct {
		Text string `json:"text"`
		Data string `json:"callback_data,omitempty"`
		URL  string `json:"url,omitempty"`
	}
	forceReply struct {
		On   bool   `json:"force_reply"`
		Hint string `json:"input_field_placeholder"`
	}
)
