// node mermaid.mjs MERMAID_MIN_JS <diagrams.json: parses each diagram of a list and
// prints the list of their errors, "" where there is none.
import { readFileSync } from 'node:fs';
import vm from 'node:vm';

// Only parsing is wanted, so a document that can do nothing is enough.
const nothing = () => {};
const element = () => ({ setAttribute: nothing, appendChild: nothing, remove: nothing, getAttribute: () => null, style: {}, childNodes: [] });
const document = {
	nodeType: 9, body: element(), documentElement: element(),
	createElement: element, createDocumentFragment: element, addEventListener: nothing, importNode: nothing,
	createNodeIterator: () => ({ nextNode: () => null }), getElementsByTagName: () => [], querySelectorAll: () => [],
	implementation: { createHTMLDocument: () => document, createDocument: () => document },
};
class Element {
	get parentNode() { return null; }
	get childNodes() { return []; }
	get nextSibling() { return null; }
	cloneNode() {}
	remove() {}
}
const page = vm.createContext({
	document, Element, Node: Element, NodeFilter: {}, NamedNodeMap: class {}, HTMLTemplateElement: class {}, HTMLFormElement: class {},
	DOMParser: class { parseFromString() { return document; } }, navigator: { userAgent: '' }, addEventListener: nothing,
	console, setTimeout, clearTimeout, queueMicrotask, structuredClone, URL, TextEncoder, TextDecoder,
});
page.window = page.self = page.globalThis = page;
vm.runInContext(readFileSync(process.argv[2], 'utf8'), page);

const errors = [];
for (const text of JSON.parse(readFileSync(0, 'utf8'))) {
	errors.push(await page.mermaid.parse(text).then(() => '', (err) => String(err.message)));
}
console.log(JSON.stringify(errors));
