// Reads texts as JSON from standard input, prints the words of each, of a query and of an index, and its collation key.
import { collationKey, indexWords, tokens } from '../../../templates/search-words.js';

let input = '';
for await (const chunk of process.stdin) input += chunk;
const out = JSON.parse(input).map((text) => ({ text, query: tokens(text), index: indexWords(text), key: collationKey(text) }));
process.stdout.write(JSON.stringify(out));
