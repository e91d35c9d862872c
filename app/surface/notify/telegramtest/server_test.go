package telegramtest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso/app/surface/notify/telegramtest"
)

// call calls a method and returns the code, and the description or the result.
func call(t *testing.T, s *telegramtest.Server, method, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", "https://api.example/bot"+telegramtest.Token+"/"+method, bytes.NewBufferString(body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := s.Client().Do(r)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer res.Body.Close()
	var got struct {
		OK          bool
		Result      json.RawMessage
		Description string
		Parameters  struct {
			After int `json:"retry_after"`
		}
	}
	if err := json.NewDecoder(res.Body).Decode(&got); err != nil {
		t.Error(err)
		return 0, ""
	}
	if got.OK != (res.StatusCode == 200) || (res.StatusCode == 429) != (got.Parameters.After > 0) {
		t.Errorf("%s: status %d and %+v", method, res.StatusCode, got)
	}
	return res.StatusCode, got.Description + string(got.Result)
}

// TestStrict is what the server refuses.
func TestStrict(t *testing.T) {
	keys := func(rows string) string {
		return `{"chat_id":42,"text":"x","reply_markup":{"inline_keyboard":` + rows + `}}`
	}
	for _, c := range []struct{ method, body, want string }{
		{"sendMessage", `{"chat_id":42,"text":"x"}`, ""},
		{"sendMessage", `{"chat_id":"42","text":"x"}`, "can't parse"},
		{"sendMessage", `{"chat_id":42,"text":"x","parse_mode":"HTML"}`, `unknown field "parse_mode"`},
		{"sendMessage", `{"chat_id":42,"text":"x","entities":[]}`, `unknown field "entities"`},
		{"sendMessage", `{"chat_id":42,"text":"x"}{}`, "stands behind"},
		{"sendMessage", `{"text":"x"}`, "chat_id is empty"},
		{"sendMessage", `{"chat_id":43,"text":"x"}`, "chat not found"},
		{"sendMessage", `{"chat_id":44,"text":"x"}`, "can't initiate conversation"},
		{"sendMessage", `{"chat_id":45,"text":"x"}`, "bot was blocked by the user"},
		{"sendMessage", `{"chat_id":42,"text":" \n"}`, "message text is empty"},
		{"sendMessage", `{"chat_id":42,"text":"` + strings.Repeat("𝒻", 2048) + `"}`, ""},
		{"sendMessage", `{"chat_id":42,"text":"` + strings.Repeat("𝒻", 2048) + `x"}`, "message is too long"},
		{"sendMessage", "{\"chat_id\":42,\"text\":\"\xff\"}", "UTF-8"},
		{"sendMessage", `{"chat_id":42,"text":"x","reply_parameters":{"message_id":999}}`, "message to be replied not found"},
		{"sendMessage", `{"chat_id":42,"text":"x","reply_parameters":{"message_id":999,"allow_sending_without_reply":true}}`, ""},
		{"sendMessage", `{"chat_id":42,"text":"x","reply_markup":{"force_reply":true,"input_field_placeholder":"Your answer"}}`, ""},
		{"sendMessage", `{"chat_id":42,"text":"x","reply_markup":{"force_reply":true,"input_field_placeholder":"` + strings.Repeat("x", 65) + `"}}`, "reply markup"},
		{"sendMessage", keys(`[[{"text":"a","callback_data":"` + strings.Repeat("x", 64) + `"}]]`), ""},
		{"sendMessage", keys(`[[{"text":"a","callback_data":"` + strings.Repeat("x", 65) + `"}]]`), "BUTTON_DATA_INVALID"},
		{"sendMessage", keys(`[[{"text":"a"}]]`), "text buttons are unallowed"},
		{"sendMessage", keys(`[[{"text":"","callback_data":"x"}]]`), "text is empty"},
		{"sendMessage", keys(`[[{"text":"a","callback_data":"x","url":"https://a.example"}]]`), "exactly one"},
		{"sendMessage", keys(`[[{"text":"a","url":"http://localhost:7778/"}]]`), "Wrong HTTP URL"},
		{"sendMessage", keys(`[[{"text":"a","url":"javascript:alert(1)"}]]`), "Wrong HTTP URL"},
		{"sendMessage", keys(`[[]]`), "a row of 0 buttons"},
		{"sendMessage", keys(`[]`), "without buttons"},
		{"editMessageText", `{"chat_id":42,"message_id":999,"text":"x"}`, "message to edit not found"},
		{"editMessageText", `{"chat_id":42,"message_id":11,"text":"x"}`, "message can't be edited"}, // of the person
		{"editMessageText", `{"chat_id":42,"message_id":12,"text":"first"}`, "message is not modified"},
		{"editMessageText", `{"chat_id":42,"message_id":12,"text":"second"}`, ""},
		{"deleteMessage", `{"chat_id":42,"message_id":999}`, "message to delete not found"},
		{"deleteMessage", `{"chat_id":42,"message_id":12}`, ""},
		{"answerCallbackQuery", `{"callback_query_id":"1"}`, "query is too old"},
		{"answerCallbackQuery", `{"callback_query_id":"1","text":"` + strings.Repeat("x", 201) + `"}`, "MESSAGE_TOO_LONG"},
		{"getUpdates", `{"limit":101}`, "out of range"},
		{"getUpdates", `{"timeout":51}`, "out of range"},
		{"getUpdates", `{"allowed_updates":["poll"]}`, "no use"},
		{"setWebhook", `{}`, "method not found"},
		{"getMe", `{}`, ""},
	} {
		t.Run(fmt.Sprintf("%s %.60s", c.method, c.body), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := telegramtest.New(t)
				s.User(42, "ann").Start("")
				s.User(44, "eve")
				s.User(45, "bob").Start("")
				s.User(45, "bob").Block()
				call(t, s, "sendMessage", `{"chat_id":42,"text":"first"}`)
				<-time.After(time.Second)
				body := c.body
				if c.method == "editMessageText" || c.method == "deleteMessage" {
					body = strings.Replace(body, `"message_id":12`, fmt.Sprintf(`"message_id":%d`, s.User(42, "").Last().ID), 1)
				}
				code, got := call(t, s, c.method, body)
				if (code == 200) != (c.want == "") || !strings.Contains(got, c.want) {
					t.Errorf("%d %s, want %q", code, got, c.want)
				}
			})
		})
	}
}

// TestRates refuses a second message within a second, and says when to come again.
func TestRates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := telegramtest.New(t)
		s.User(42, "ann").Start("")
		for i, want := range []int{200, 429, 429, 200} {
			if i == 3 {
				<-time.After(time.Second)
			}
			if code, _ := call(t, s, "sendMessage", `{"chat_id":42,"text":"x"}`); code != want {
				t.Errorf("message %d: %d", i, code)
			}
		}
		refused := 0
		for i := range 50 {
			s.User(int64(100+i), "x").Start("")
			if code, _ := call(t, s, "sendMessage", fmt.Sprintf(`{"chat_id":%d,"text":"x"}`, 100+i)); code == 429 {
				refused++
			}
		}
		if refused < 15 {
			t.Errorf("50 messages at once, and %d refused", refused)
		}
	})
}

// TestUpdates repeats what no offset confirmed.
func TestUpdates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := telegramtest.New(t)
		u := s.User(42, "ann")
		u.Send("one")
		u.Send("two")
		for range 2 {
			<-time.After(time.Second)
			if _, got := call(t, s, "getUpdates", `{"timeout":0}`); strings.Count(got, "update_id") != 2 {
				t.Errorf("got %s", got)
			}
		}
		if _, got := call(t, s, "getUpdates", `{"offset":873214002}`); strings.Count(got, "update_id") != 1 || s.Pending() != 1 {
			t.Errorf("got %s", got)
		}
		<-time.After(25 * time.Hour)
		if _, got := call(t, s, "getUpdates", `{}`); got != "[]" {
			t.Errorf("after a day: %s", got)
		}
		begin := time.Now()
		if _, got := call(t, s, "getUpdates", `{"timeout":50}`); got != "[]" || time.Since(begin) != 50*time.Second {
			t.Errorf("%s after %s", got, time.Since(begin))
		}
		first := make(chan int)
		go func() {
			code, _ := call(t, s, "getUpdates", `{"timeout":50}`)
			first <- code
		}()
		synctest.Wait()
		go call(t, s, "getUpdates", `{"timeout":1}`)
		if code := <-first; code != 409 {
			t.Errorf("the first of two polls ends with %d", code)
		}
		<-time.After(time.Minute)
	})
}
