// A service of Restate that asks and waits: a peer of TestFigure_DURABLE. It writes
// "ready PORT", "asked NAME ID" with the id of the awakeable that it waits for, and
// "heard NAME". What it writes once more when it is replayed is not counted.
import * as http2 from "node:http2";
import { writeSync } from "node:fs";
import * as restate from "@restatedev/restate-sdk";

const say = (...words) => writeSync(1, words.join(" ") + "\n");

const asks = restate.service({
  name: "asks",
  handlers: {
    ask: async (ctx, { name }) => {
      const { id, promise } = ctx.awakeable();
      say("asked", name, id);
      const answer = await promise;
      say("heard", name);
      return answer;
    },
  },
});

const server = http2.createServer(restate.createEndpointHandler({ services: [asks] }));
server.listen(0, "127.0.0.1", () => say("ready", server.address().port));
process.stdin.on("end", () => process.exit()).resume(); // ends with who started it
