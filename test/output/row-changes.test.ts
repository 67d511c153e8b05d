import { expect, it } from 'vitest';
import { parseOutputFormat } from '../../src/output/formats.ts';
import { rowChangePrinter } from '../../src/output/row-changes.ts';
import { clock, createPrinter, event, PODS, pod } from './fixtures.ts';

const MARKER = { type: 'SYNCED', gvr: 'v1/pods', objects: 1, seq: 2, time: '2026-01-01T12:00:00.000Z' } as const;

async function printed(typed: string): Promise<string> {
  const format = parseOutputFormat(typed);
  const printer = rowChangePrinter({ format, printer: await createPrinter(format, { clock }), rows: () => '' });
  const { key, gvr, time } = event('ADDED', pod('web-1')).event;
  const record = { op: '+', object: pod('web-1'), key, gvr, cause: 'initial', seq: 1, time } as const;
  return printer.changes([{ record, type: PODS }]) + printer.marker(MARKER);
}

it.each(['json', 'ndjson'])('-o %s prints each change of a result and each marker as JSON on a line', async (typed) => {
  const lines = (await printed(typed)).trimEnd().split('\n');
  const records = lines.map((line) => JSON.parse(line));
  expect(records).toMatchObject([{ op: '+', object: { metadata: { name: 'web-1' } }, seq: 1 }, MARKER]);
});

it.each([
  ['yaml', /^---\nop: \+\n.*\n\.\.\.\n---\ntype: SYNCED\n/s],
  ['kyaml', /^---\n\{\n.*\n {2}op: "\+",\n.*\n\}\n---\n\{\n.*\n {2}type: "SYNCED",\n\}\n$/s],
  ['jq=.', /^\{"op":"\+",.*\}\n\{"type":"SYNCED",/],
  ['name', /^\+ pod\/web-1\n$/],
  ['custom-columns=A:.metadata.name', /^ {2}A\n\+ web-1\n$/],
  ['', /^ {2}NAME.*\n\+ web-1 .*\n {2}SYNCED +v1\/pods: 1 object\n$/s],
])('-o %j prints changes of a result as records, or as lines behind a sign', async (typed, text) => {
  expect(await printed(typed)).toMatch(text);
});
