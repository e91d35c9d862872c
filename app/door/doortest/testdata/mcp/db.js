// A server of the Model Context Protocol with one tool, which leaves a file in the
// folder of its first argument: what the tests of permissions call.
const fs = require("fs");
const path = require("path");

const tool = {
	name: "drop_table",
	description: "Drop a table",
	inputSchema: { type: "object", properties: { table: { type: "string" } }, required: ["table"] },
	annotations: { destructiveHint: true, readOnlyHint: false, openWorldHint: true },
};

const methods = {
	initialize: (p) => ({ protocolVersion: p.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "db", version: "0" } }),
	"tools/list": () => ({ tools: [tool] }),
	"tools/call": (p) => {
		fs.writeFileSync(path.join(process.argv[2], "dropped-" + p.arguments.table), "");
		return { content: [{ type: "text", text: "dropped " + p.arguments.table }] };
	},
	ping: () => ({}),
};

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
	const m = JSON.parse(line);
	if (m.id === undefined) return;
	const reply = { jsonrpc: "2.0", id: m.id };
	if (methods[m.method]) reply.result = methods[m.method](m.params || {});
	else reply.error = { code: -32601, message: "no such method" };
	process.stdout.write(JSON.stringify(reply) + "\n");
});
