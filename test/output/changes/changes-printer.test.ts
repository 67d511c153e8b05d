import { describe, expect, test } from 'vitest';
import type { ManagedFieldsEntry } from '../../../src/model/object.ts';
import { event, lines, markingPainter, pod } from '../fixtures.ts';
import { modified, printer, scaled, web } from './fixtures.ts';

describe('changes', () => {
  test('has a line for every field, and one for an added or deleted object', async () => {
    const changes = await printer('changes');
    const before = web({ replicas: 2, paused: true, note: 'a b' });
    const after = web({ replicas: 3, note: 'a c', image: 'x' });
    expect(lines(changes.events([event('ADDED', before), modified(before, after), event('DELETED', after)]))).toEqual([
      'ADDED      shop/web',
      'MODIFIED   shop/web   .spec.replicas: 2 → 3',
      'MODIFIED   shop/web   .spec.note: a b → a c',
      'MODIFIED   shop/web   .spec.image: <none> → x',
      'MODIFIED   shop/web   .spec.paused: true → <none>',
      'DELETED    shop/web',
      '',
    ]);
  });

  test('names the manager, and never shows managedFields', async () => {
    const fields = (manager: string, second: number): ManagedFieldsEntry[] => [
      { manager, time: `2026-01-01T12:00:0${second}Z`, fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
    ];
    const before = web({ replicas: 2 }, { managedFields: fields('kubectl', 1) });
    const after = web({ replicas: 3 }, { managedFields: fields('kube-controller-manager', 2) });
    expect((await printer('changes')).events([modified(before, after)])).toBe(
      'MODIFIED   shop/web   .spec.replicas: 2 → 3  (kube-controller-manager)\n',
    );
  });

  test('has types and times if requested', async () => {
    const changes = await printer('changes', { showKind: true, timestamps: 'rfc3339' });
    expect(lines(changes.events([event('ADDED', pod('web-1')), scaled]))).toEqual([
      '2026-01-01T12:00:00.000Z   ADDED      pod/shop/web-1',
      '2026-01-01T12:00:00.000Z   MODIFIED   deployment.apps/shop/web   .spec.replicas: 2 → 3',
      '',
    ]);
  });

  test('never narrows a column', async () => {
    const changes = await printer('changes');
    changes.events([event('ADDED', pod('a-rather-long-name'))]);
    expect(changes.events([scaled])).toBe('MODIFIED   shop/web                  .spec.replicas: 2 → 3\n');
  });

  test('has a note when no shown field differs, or the state before is not known', async () => {
    const again = modified(
      web({ replicas: 2 }, { resourceVersion: '1' }),
      web({ replicas: 2 }, { resourceVersion: '2' }),
    );
    expect((await printer('changes')).events([again])).toBe('MODIFIED   shop/web   <no visible change>\n');
    expect((await printer('changes')).events([event('MODIFIED', web({}))])).toBe(
      'MODIFIED   shop/web   <no visible change>\n',
    );
  });

  test('prints every change on one line that is safe for a terminal', async () => {
    const odd = modified(web({ text: 'a' }), web({ text: 'b\nc\x1b[31m', 'ke\ny': 1 }));
    const text = (await printer('changes')).events([odd]);
    expect(lines(text)).toHaveLength(3);
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  test('colours the event and the added and removed values', async () => {
    const marked = await printer('changes', { painter: markingPainter });
    const text = marked.events([modified(web({ a: 1 }), web({ b: 2 })), event('DELETED', web({}))]);
    expect(lines(text)).toEqual(
      [
        '<MODIFIED>MODIFIED   </>shop/web   <added>.spec.b: <none> → 2</>',
        '<MODIFIED>MODIFIED   </>shop/web   <removed>.spec.a: 1 → <none></>',
        '<DELETED>DELETED    </>shop/web   ',
        '',
      ].map((line) => line.trimEnd()),
    );
  });
});
