"""Receives webhooks of sayso: PORT and SECRETS are in the environment, needs no packages."""
import base64, hashlib, hmac, http.server, json, os, time

keys = [base64.b64decode(s.removeprefix("whsec_")) for s in os.environ["SECRETS"].split()]
seen = set()  # a real program keeps this in its database

# begin genuine
def genuine(headers, body):
    id, at = headers["webhook-id"], headers["webhook-timestamp"]
    if not id or abs(time.time() - int(at or 0)) > 300:
        return False
    signed = f"{id}.{at}.".encode() + body
    good = ["v1," + base64.b64encode(hmac.digest(k, signed, hashlib.sha256)).decode() for k in keys]
    return any(hmac.compare_digest(g, s) for g in good for s in (headers["webhook-signature"] or "").split())
# end genuine

class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        ok = genuine(self.headers, body)
        if ok and self.headers["webhook-id"] not in seen:
            seen.add(self.headers["webhook-id"])
            event = json.loads(body)
            print(event["type"], event["data"].get("status"), event["data"].get("id"), flush=True)
        self.send_response(204 if ok else 401)
        self.end_headers()

http.server.HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
