#!/usr/bin/env python3
"""Answers everything with its first option: a surface in thirty lines of Python's standard library.

  SAYSO_URL=http://127.0.0.1:8484 SAYSO_KEY=sayso_answerer_… python3 inbox.py
"""
import json
import os
import sys
import urllib.request

URL, KEY = os.environ["SAYSO_URL"], os.environ["SAYSO_KEY"]
HEADERS = {"Authorization": "Bearer " + KEY, "Content-Type": "application/json"}


def answer(ticket):
    answers = [{"questionId": q["id"], "selected": [q["options"][0]["id"]]} for q in ticket["ask"]["questions"] if q.get("options")]
    body = json.dumps({"digest": ticket["digest"], "surface": "inbox.py", "answers": answers}).encode()
    request = urllib.request.Request(f"{URL}/v1/asks/{ticket['id']}/answer", body, HEADERS, method="PUT")
    with urllib.request.urlopen(request) as reply:
        print(json.load(reply)["status"], ticket["ask"]["questions"][0]["text"])


last, left = "", int(os.environ.get("COUNT", "0"))  # 0: for ever
while True:
    request = urllib.request.Request(URL + "/v1/events", headers=HEADERS | ({"Last-Event-ID": last} if last else {}))
    event = {}
    with urllib.request.urlopen(request) as stream:
        for line in stream:
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name:
                event[name] = value
                continue
            last = event.get("id", last)
            if event.get("event") == "ask" and json.loads(event["data"])["status"] == "pending":
                answer(json.loads(event["data"]))
                left -= 1
                if left == 0:
                    sys.exit()
            event = {}
