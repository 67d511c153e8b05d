import { describe, expect, test } from 'vitest';
import { event, lines, markingPainter, pod } from '../fixtures.ts';
import { modified, printer, scaled, web } from './fixtures.ts';

describe('diff', () => {
  const diff = async (before: object, after: object) =>
    lines((await printer('diff')).events([modified(web(before), web(after))])).slice(1, -1);

  test('shows each added and deleted object on one line', async () => {
    const went = event('DELETED', pod('web-1', '', { status: { phase: 'Failed' } }));
    const unseen = { ...went, event: { ...went.event, finalStateUnknown: true as const } };
    expect(lines((await printer('diff')).events([event('ADDED', pod('web-1')), went, unseen]))).toEqual([
      'ADDED    pod/shop/web-1  app:1',
      'DELETED  pod/shop/web-1  Failed, app:1, lived 60m',
      'DELETED  pod/shop/web-1  Failed, app:1, lived 60m (inferred: its last state was not seen)',
      '',
    ]);
  });

  test('has an empty line before and after it', async () => {
    const printed = await printer('diff');
    expect(printed.events([event('ADDED', web({ replicas: 1 }))])).toBe(
      'ADDED    deployment.apps/shop/web  0/1 ready\n',
    );
    expect(printed.events([scaled])).toBe('\nMODIFIED deployment.apps/shop/web\n~ spec.replicas: 2 → 3\n');
    expect(printed.events([event('DELETED', web({}))])).toBe('\nDELETED  deployment.apps/shop/web\n');
  });

  test('groups the changes below one item', async () => {
    const condition = (status: string, reason: string) => ({ conditions: [{ type: 'Ready', status, reason }] });
    expect(await diff(condition('False', 'A'), condition('True', 'B'))).toEqual([
      '  spec.conditions[type=Ready]:',
      '~   status: False → True',
      '~   reason: A → B',
    ]);
  });

  test('shows an added or removed part on several lines', async () => {
    const side = { name: 'side', image: 'envoy:1', env: [{ name: 'A', value: 'x'.repeat(90) }], command: ['a'] };
    const lineOf = (mark: string) => [
      `${mark} spec.containers[name=side]:`,
      `${mark}   name: side`,
      `${mark}   image: envoy:1`,
      `${mark}   env:`,
      `${mark}     - name: A`,
      `${mark}       value: ${'x'.repeat(90)}`,
      `${mark}   command: ["a"]`,
    ];
    expect(await diff({ containers: [] }, { containers: [side] })).toEqual(lineOf('+'));
    expect(await diff({ containers: [side] }, { containers: [] })).toEqual(lineOf('-'));
  });

  test('compares texts and lists line by line', async () => {
    const text = (worker: number) => `user www\nworker ${worker}\n\nevents\nhttp\n`;
    expect(await diff({ conf: text(1) }, { conf: text(2) })).toEqual([
      '~ spec.conf:',
      '    user www',
      '-   worker 1',
      '+   worker 2',
      '    ',
      '    … 2 equal lines',
    ]);
    const [a, b] = [{ x: 'a'.repeat(40) }, { x: 'b'.repeat(40) }];
    expect(await diff({ list: [a] }, { list: [a, b] })).toEqual([
      '~ spec.list:',
      `    - ${JSON.stringify(a)}`,
      `+   - ${JSON.stringify(b)}`,
    ]);
  });

  test('shows a missing line end', async () => {
    expect(await diff({ conf: 'a\nb\n' }, { conf: 'a\nb' })).toEqual([
      '~ spec.conf:',
      '    … 1 equal line',
      '    b',
      '+   \\ no line end',
    ]);
  });

  test('puts long values below each other', async () => {
    const message = (n: number) => `replica set web-${n} ${'is progressing '.repeat(4)}`.trim();
    expect(await diff({ message: message(1) }, { message: message(2) })).toEqual([
      '~ spec.message:',
      `-   ${message(1)}`,
      `+   ${message(2)}`,
    ]);
  });

  test('cuts long values', async () => {
    const many = (n: number) => Array.from({ length: n }, (_, i) => `line ${i}`).join('\n');
    const shown = await diff({}, { conf: many(100) });
    expect(shown).toHaveLength(25);
    expect(shown.at(-1)).toBe('    … 77 more lines');
    expect((await diff({}, { conf: 'x'.repeat(5000) })).join('').length).toBeLessThan(200);
  });

  test('has a note when no shown field differs', async () => {
    expect((await printer('diff')).events([modified(web({ a: 1 }), web({ a: 1 }))])).toBe(
      'MODIFIED deployment.apps/shop/web  (no visible change)\n',
    );
  });

  test('escapes control characters', async () => {
    const odd = modified(
      web({ text: 'a\nb' }),
      web({ text: 'a\x1b[31m\r\n\x9bb\x07', 'k\x1b': '\x1b', list: ['\x1b[2J'.repeat(40)] }),
    );
    expect((await printer('diff')).events([odd]).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  test('colours marks and values without changing a character', async () => {
    const text = (await printer('diff', { painter: markingPainter, timestamps: 'rfc3339' })).events([scaled]);
    expect(lines(text)).toEqual([
      '_2026-01-01T12:00:00.000Z_ <MODIFIED>MODIFIED</> <deployment.apps>deployment.apps/shop/web</>',
      '<changed>~</> spec.replicas: <removed>2</> → <added>3</>',
      '',
    ]);
  });
});
