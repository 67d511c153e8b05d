// node bench/generate.ts [--objects N] [--bytes B] [--kind KIND] [--seed S]: such objects, as a List, to
// stdout.
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { DEFAULT_BYTES, KINDS, type Kind, ObjectTexts } from './generator.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { objects: text, bytes: text, kind: text, seed: text } });
const { objects = '1000', bytes = String(DEFAULT_BYTES), kind = 'pods', seed = '1' } = values;
if (!(kind in KINDS)) throw new Error(`--kind is one of ${Object.keys(KINDS).join(', ')}, not "${kind}"`);
const texts = new ObjectTexts({ kind: kind as Kind, bytes: Number(bytes), seed: Number(seed) }).as('object', {
  withKind: true,
});

await say('{"kind":"List","apiVersion":"v1","metadata":{},"items":[\n');
for (let i = 0; i < Number(objects); i++) await say(`${i > 0 ? ',\n' : ''}${texts.text(i)}`);
await say('\n]}\n');

async function say(part: string): Promise<void> {
  if (!process.stdout.write(part)) await once(process.stdout, 'drain');
}
