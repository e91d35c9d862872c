// Receives webhooks of sayso: PORT and SECRETS are in the environment, needs no packages.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const keys = process.env.SECRETS.split(" ").map((s) => Buffer.from(s.replace("whsec_", ""), "base64"));
const seen = new Set(); // a real program keeps this in its database

// begin genuine
function genuine(headers, body) {
  const id = headers["webhook-id"], at = headers["webhook-timestamp"];
  if (!id || !(Math.abs(Date.now() / 1000 - Number(at)) <= 300)) return false;
  const sums = (headers["webhook-signature"] ?? "").split(" ").map((s) => Buffer.from(s.replace("v1,", ""), "base64"));
  return keys.some((key) => {
    const good = createHmac("sha256", key).update(`${id}.${at}.`).update(body).digest();
    return sums.some((sum) => sum.length === good.length && timingSafeEqual(sum, good));
  });
}
// end genuine

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  const ok = genuine(request.headers, body);
  if (ok && !seen.has(request.headers["webhook-id"])) {
    seen.add(request.headers["webhook-id"]);
    const { type, data } = JSON.parse(body);
    console.log(type, data.status, data.id);
  }
  response.writeHead(ok ? 204 : 401).end();
}).listen(Number(process.env.PORT), "127.0.0.1");
