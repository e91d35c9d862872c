// Standard input, as it comes, into an asciicast v2 file. The header has one field
// more: when the recording began, in ms.
// usage: node cast.mjs FILE COLUMNS ROWS
import fs from 'node:fs';

const [file, width, height] = process.argv.slice(2);
const begin = Date.now();
const decoder = new TextDecoder();
const line = (value) => fs.appendFileSync(file, JSON.stringify(value) + '\n');

line({ version: 2, width: +width, height: +height, begin });
process.stdin.on('data', (bytes) => line([(Date.now() - begin) / 1000, 'o', decoder.decode(bytes, { stream: true })]));
