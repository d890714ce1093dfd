// Reads pieces' columns as JSON from standard input, each with how many rows and fields it has, and prints all cells, row by row.
import { Columns } from '../../../templates/search-pieces.js';

let input = '';
for await (const chunk of process.stdin) input += chunk;
const out = JSON.parse(input).map(({ bytes, rows, fields }) => {
  const columns = new Columns(Buffer.from(bytes, 'base64'));
  return Array.from({ length: rows }, (_, row) => Array.from({ length: fields }, (_, field) => columns.cell(field, row)));
});
process.stdout.write(JSON.stringify(out));
