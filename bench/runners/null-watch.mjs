// A watch to nowhere: its lines are counted and that is all. URL EVENTS
import { done, get, start } from './usage.mjs';

const [, , url, events] = process.argv;
const from = start();
let seen = 0;
await get(`${url}/api/v1/pods?watch=true&resourceVersion=1`, (chunk) => {
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) seen++;
  if (seen >= Number(events)) done({ from, objects: seen });
});
