// A watch, line by line, to stdout: a word of each. URL
import { get } from './usage.mjs';

let rest = '';
await get(
  `${process.argv[2]}/api/v1/pods?watch=true&resourceVersion=1`,
  (chunk) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop();
    let text = '';
    for (const line of lines) if (!line.includes('"rows":[]')) text += `${/"name":"([^"]*)"/.exec(line)?.[1]}\n`;
    if (text !== '') process.stdout.write(text);
  },
  { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' },
);
