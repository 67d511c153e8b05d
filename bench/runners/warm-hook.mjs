// A hook for --hook-mode warm that has nothing to do: a reply for each request.
import { createInterface } from 'node:readline';

for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify({ id: JSON.parse(line).id })}\n`);
