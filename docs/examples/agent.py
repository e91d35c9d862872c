#!/usr/bin/env python3
"""An agent in plain Python that can ask its person: the Messages API of Anthropic
and a hub, both over HTTP, with the standard library.

  ANTHROPIC_API_KEY=… SAYSO_URL=http://127.0.0.1:7777 SAYSO_KEY=… python3 agent.py "Set up a service"
"""
import json
import os
import sys
import time
import urllib.error
import urllib.request

MODEL = os.environ.get("ANTHROPIC_BASE_URL", "https://api.anthropic.com") + "/v1/messages"
HUB = os.environ["SAYSO_URL"]


def post(url, body, **headers):
    """Makes a request, again while the server is away: every request here may be sent twice."""
    data = None if body is None else json.dumps(body).encode()
    while True:
        request = urllib.request.Request(url, data, headers | {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=300) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as e:
            if e.code not in (429, 503, 529):
                raise SystemExit(e.read().decode())
        except OSError:
            pass
        time.sleep(1)


def hub(path, body=None):
    return post(HUB + path, body, Authorization="Bearer " + os.environ["SAYSO_KEY"])


tool = hub("/v1/dialects/claude")  # name, description and schema of the tool
messages = [{"role": "user", "content": sys.argv[1]}]
while True:
    reply = post(MODEL, {
        "model": "claude-sonnet-4-5", "max_tokens": 4096, "messages": messages,
        "tools": [{"name": tool["name"], "description": tool["description"], "input_schema": tool["schema"]}],
    }, **{"x-api-key": os.environ.get("ANTHROPIC_API_KEY", ""), "anthropic-version": "2023-06-01"})
    messages.append({"role": "assistant", "content": reply["content"]})
    results = []
    for block in reply["content"]:
        if block["type"] == "text":
            print(block["text"])
        if block["type"] == "tool_use":
            call = {"id": block["id"], "conversation": "example", "host": "agent.py", "arguments": block["input"]}
            while (said := hub("/v1/dialects/claude/call?wait=55s", call)).get("status") == "pending":
                pass  # nobody yet; the same call waits for the same question
            result = said["result"]
            results.append({"type": "tool_result", "tool_use_id": block["id"], "content": result["text"], "is_error": result.get("isError", False)})
    if not results:
        break
    messages.append({"role": "user", "content": results})
