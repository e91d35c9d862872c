#!/usr/bin/env python3
"""Asks a person and waits for the answer, with Python's standard library.

  SAYSO_URL=http://127.0.0.1:8484 SAYSO_KEY=sayso_asker_… python3 ask.py
"""
import json
import os
import time
import urllib.error
import urllib.request

URL, KEY = os.environ["SAYSO_URL"], os.environ["SAYSO_KEY"]


def api(method, path, body=None, **headers):
    """Makes a request. The server may be away for a moment: every request here may be sent again."""
    headers |= {"Authorization": "Bearer " + KEY, "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    while True:
        request = urllib.request.Request(URL + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=90) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as e:
            if e.code not in (429, 503):
                raise SystemExit(e.read().decode())
            time.sleep(int(e.headers.get("Retry-After", 1)))
        except OSError:
            time.sleep(1)


ask = {
    "origin": {"conversation": "example", "host": "ask.py"},
    "questions": [{"id": "day", "text": "Which day?", "options": [{"id": "mon", "label": "Monday"}, {"id": "tue", "label": "Tuesday"}]}],
}
key = {"Idempotency-Key": os.environ.get("CALL", f"ask.py-{os.getpid()}")}
while (ticket := api("POST", "/v1/asks?wait=55s&consume=1", ask, **key))["status"] == "pending":
    pass  # nobody yet; the same request waits for the same question
outcome = ticket["outcome"]
print(outcome["status"], json.dumps(outcome.get("answers", [])), "by", outcome["by"].get("id"))
