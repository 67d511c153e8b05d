// A LIST to nowhere. URL
import { done, get, start } from './usage.mjs';

const from = start();
let bytes = 0;
await get(`${process.argv[2]}/api/v1/pods`, (chunk) => {
  bytes += chunk.length;
});
done({ from, bytes });
