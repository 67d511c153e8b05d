// A LIST as one text, parsed as a whole. URL
import { done, get, start } from './usage.mjs';

/** As long as a string can be. */
const MOST = 2 ** 29 - 24;
const from = start();
const chunks = [];
let bytes = 0;
await get(`${process.argv[2]}/api/v1/pods`, (chunk, response) => {
  chunks.push(chunk);
  bytes += chunk.length;
  if (bytes <= MOST) return;
  process.stdout.write(`${JSON.stringify({ refused: 'longer than a string can be (512 MiB)' })}\n`, () =>
    process.exit(0),
  );
  response.pause();
});
const { items } = JSON.parse(Buffer.concat(chunks).toString());
done({ from, objects: items.length });
