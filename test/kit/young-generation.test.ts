import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';

const SCRIPT = `
import { getHeapSpaceStatistics } from 'node:v8';
const { keepYoungGenerationSmall } = await import(process.argv[1]);
keepYoungGenerationSmall({ limitBytes: 8 * 1024 * 1024 });
const size = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size;
let kept = [];
async function usual() {
  const sizes = [];
  for (let round = 0; round < 40; round++) {
    kept = Array.from({ length: 60_000 }, (_, i) => ({ a: i, b: [i] }));
    if (round >= 20) sizes.push(size());
    await new Promise((resolve) => setImmediate(resolve));
  }
  return sizes.sort((a, b) => a - b)[10];
}
const before = await usual();
kept = [];
for (let i = 0; i < 3; i++) gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
await new Promise((resolve) => setImmediate(resolve));
const reduced = size();
const after = await usual();
console.log(JSON.stringify({ before, reduced, after }));
`;

it('the space for young objects grows to the limit and not far beyond, also after V8 has reduced it', () => {
  const file = path.resolve(import.meta.dirname, '../../src/kit/young-generation.ts');
  const words = ['--no-warnings', '--expose-gc', '--input-type=module', '-e', SCRIPT, file];
  const { before, reduced, after } = JSON.parse(execFileSync(process.execPath, words, { encoding: 'utf8' }));
  const MIB = 1024 * 1024;
  expect(before / MIB).toBeGreaterThanOrEqual(8);
  expect(before / MIB).toBeLessThanOrEqual(24);
  expect(reduced / MIB).toBeLessThan(4);
  expect(after / MIB).toBeGreaterThanOrEqual(8);
  expect(after / MIB).toBeLessThanOrEqual(24);
}, 30_000);
