// npm run overload -- [--only TEXT] [--size PART] [--seed S] [--root DIR]
//
// Loads the built program beyond what is usual, one case after the other: slow readers, large relists, a full disk, no
// descriptors, programs that are stopped or killed. --size 0.1 runs a tenth of each. Ends with 1 if a rule did not hold.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { OVERLOADS } from './soak/overload.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    only: { ...text, default: '' },
    size: { ...text, default: '1' },
    seed: { ...text, default: '1' },
    root: { ...text, default: path.resolve(import.meta.dirname, '..') },
  },
});
const cases = Object.entries(OVERLOADS).filter(([name]) => name.includes(values.only));
if (cases.length === 0) throw new Error(`--only takes a part of: ${Object.keys(OVERLOADS).join('; ')}`);
const options = { root: path.resolve(values.root), seed: Number(values.seed), size: Number(values.size) };
if (!(options.size > 0)) throw new Error(`--size takes a number above 0, not "${values.size}"`);
for (const [name, overload] of cases) {
  const { problems, figures, skipped } = await overload(options);
  const all = Object.entries(figures).map(([what, count]) => `${count} ${what}`);
  const verdict = skipped ? `skipped: ${skipped}` : problems.length === 0 ? 'right' : 'WRONG';
  console.log(`${verdict}  ${name}: ${all.join(', ')}`);
  for (const problem of problems.slice(0, 12)) console.log(`         ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}
