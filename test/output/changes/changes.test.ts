import { describe, expect, test } from 'vitest';
import type { ManagedFieldsEntry, UnknownObject } from '../../../src/model/object.ts';
import { parseOutputFormat } from '../../../src/output/output-format.ts';
import type { PrintedEvent } from '../../../src/output/printer.ts';
import { compileScope } from '../../../src/stream/changes/path-scope.ts';
import { Redactor } from '../../../src/stream/redact.ts';
import { answer, clock, createPrinter, event, lines, markingPainter, pod } from '../fixtures.ts';

const printer = (format: string, options: object = {}) => createPrinter(parseOutputFormat(format), { clock, ...options });

function modified(before: UnknownObject, after: UnknownObject): PrintedEvent {
  const printed = event('MODIFIED', after);
  return { ...printed, event: { ...printed.event, oldObject: before } };
}

const web = (spec: object, more: object = {}): UnknownObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', ...more },
  spec,
});

const scaled = modified(web({ replicas: 2 }), web({ replicas: 3 }));

describe('changes', () => {
  test('has a line for every field, and one for an object that came or went', async () => {
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

  test('says types and times where asked for', async () => {
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

  test('says so when no field that is shown differs, or the state before is not known', async () => {
    const again = modified(web({ replicas: 2 }, { resourceVersion: '1' }), web({ replicas: 2 }, { resourceVersion: '2' }));
    expect((await printer('changes')).events([again])).toBe('MODIFIED   shop/web   <no visible change>\n');
    expect((await printer('changes')).events([event('MODIFIED', web({}))])).toBe('MODIFIED   shop/web   <no visible change>\n');
  });

  test('keeps every change on one line that a terminal can be given', async () => {
    const odd = modified(web({ text: 'a' }), web({ text: 'b\nc\x1b[31m', 'ke\ny': 1 }));
    const text = (await printer('changes')).events([odd]);
    expect(lines(text)).toHaveLength(3);
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  test('colours the event and what came or went', async () => {
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

describe('diff', () => {
  const diff = async (before: object, after: object) =>
    lines((await printer('diff')).events([modified(web(before), web(after))])).slice(1, -1);

  test('shows objects that came and went on a line each', async () => {
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
    expect(printed.events([event('ADDED', web({ replicas: 1 }))])).toBe('ADDED    deployment.apps/shop/web  0/1 ready\n');
    expect(printed.events([scaled])).toBe('\nMODIFIED deployment.apps/shop/web\n~ spec.replicas: 2 → 3\n');
    expect(printed.events([event('DELETED', web({}))])).toBe('\nDELETED  deployment.apps/shop/web\n');
  });

  test('groups what changed below one item', async () => {
    const condition = (status: string, reason: string) => ({ conditions: [{ type: 'Ready', status, reason }] });
    expect(await diff(condition('False', 'A'), condition('True', 'B'))).toEqual([
      '  spec.conditions[type=Ready]:',
      '~   status: False → True',
      '~   reason: A → B',
    ]);
  });

  test('shows what came or went whole over several lines', async () => {
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
    expect(await diff({ conf: 'a\nb\n' }, { conf: 'a\nb' })).toEqual(['~ spec.conf:', '    … 1 equal line', '    b', '+   \\ no line end']);
  });

  test('puts long values below each other', async () => {
    const message = (n: number) => `replica set web-${n} ${'is progressing '.repeat(4)}`.trim();
    expect(await diff({ message: message(1) }, { message: message(2) })).toEqual([
      '~ spec.message:',
      `-   ${message(1)}`,
      `+   ${message(2)}`,
    ]);
  });

  test('cuts what is too long to be read', async () => {
    const many = (n: number) => Array.from({ length: n }, (_, i) => `line ${i}`).join('\n');
    const shown = await diff({}, { conf: many(100) });
    expect(shown).toHaveLength(25);
    expect(shown.at(-1)).toBe('    … 77 more lines');
    expect((await diff({}, { conf: 'x'.repeat(5000) })).join('').length).toBeLessThan(200);
  });

  test('says so when no field that is shown differs', async () => {
    expect((await printer('diff')).events([modified(web({ a: 1 }), web({ a: 1 }))])).toBe(
      'MODIFIED deployment.apps/shop/web  (no visible change)\n',
    );
  });

  test('obeys no control character', async () => {
    const odd = modified(web({ text: 'a\nb' }), web({ text: 'a\x1b[31m\r\n\x9bb\x07', 'k\x1b': '\x1b', list: ['\x1b[2J'.repeat(40)] }));
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

describe.each(['diff', 'changes'])('%s', (format) => {
  test('shows digests of a Secret and no value', async () => {
    const redactor = new Redactor();
    const secret = (value: string) =>
      redactor.redact({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 's', namespace: 'shop', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `{"a":"${value}"}` } },
        data: { password: Buffer.from(value).toString('base64') },
        stringData: { password: value },
      });
    const [a, b] = ['first-marker', 'second-marker'];
    const shown = await printer(format);
    const text = shown.events([event('ADDED', secret(a)), modified(secret(a), secret(b)), event('DELETED', secret(b))]);
    expect(text).toMatch(/data\.password: hmac:[0-9a-f]{8} → hmac:[0-9a-f]{8}\n/);
    for (const value of [a, b]) {
      expect(text).not.toContain(value);
      expect(text).not.toContain(Buffer.from(value).toString('base64'));
    }
  });

  test('refuses an answer, which has no changes', async () => {
    const shown = await printer(format);
    expect(() => shown.objects(answer(pod('a')))).toThrow(`-o ${format} shows changes, so it needs a stream of them`);
  });
});

describe('what left a filter, who created, and what was asked for', () => {
  const left = (object: UnknownObject): PrintedEvent => {
    const printed = event('DELETED', object);
    return { ...printed, event: { ...printed.event, cause: 'filter' } };
  };
  const created = (object: UnknownObject): PrintedEvent => {
    const printed = event('ADDED', object);
    return { ...printed, event: { ...printed.event, cause: 'watch' } };
  };
  const entry = (manager: string, second: number, subresource?: string): ManagedFieldsEntry => ({
    manager,
    time: `2026-01-01T12:00:0${second}Z`,
    fieldsV1: { 'f:spec': {} },
    ...(subresource ? { subresource } : {}),
  });
  const made = web(
    {},
    { managedFields: [entry('kube-controller-manager', 2), entry('status-writer', 0, 'status'), entry('kubectl-create', 1)] },
  );

  test('an object that only ceased to match is LEFT in changes, diff, names and tables; one that is gone is DELETED', async () => {
    for (const format of ['changes', 'diff', 'name', '']) {
      const text = (await printer(format)).events([left(web({}))]);
      expect(text).toContain('LEFT');
      expect(text).not.toContain('DELETED');
      expect((await printer(format)).events([event('DELETED', web({}))])).not.toContain('LEFT');
    }
    expect((await printer('name')).events([left(web({})), event('DELETED', web({}))])).toBe(
      'deployment.apps/web LEFT\ndeployment.apps/web\n',
    );
  });

  test('an object that was just created says by whom, one of the state at the start does not', async () => {
    expect((await printer('changes')).events([created(made)])).toBe('ADDED      shop/web   (kubectl-create)\n');
    expect((await printer('diff')).events([created(made)])).toContain('created by kubectl-create');
    const initial = event('ADDED', made);
    const first = { ...initial, event: { ...initial.event, cause: 'initial' as const } };
    expect((await printer('changes')).events([first])).toBe('ADDED      shop/web\n');
  });

  test('of what changed only the asked paths are shown, also below and above them', async () => {
    const before = web({
      replicas: 2,
      paused: true,
      containers: [
        { name: 'a', image: 'x' },
        { name: 'b', image: 'x' },
      ],
      strategy: { type: 'A' },
    });
    const after = web({
      replicas: 3,
      paused: false,
      containers: [
        { name: 'a', image: 'y' },
        { name: 'b', image: 'z' },
      ],
    });
    const shown = async (...paths: string[]) => {
      const text = (await printer('changes', { only: compileScope(paths) })).events([modified(before, after)]);
      return [...text.matchAll(/ (\.\S+): /g)].map(([, path]) => path);
    };
    expect(await shown('.spec.replicas')).toEqual(['.spec.replicas']);
    expect(await shown('.spec.containers[?(@.name=="b")].image')).toEqual(['.spec.containers[name=b].image']);
    expect(await shown('.spec.containers[*].image', '.spec.paused')).toEqual([
      '.spec.paused',
      '.spec.containers[name=a].image',
      '.spec.containers[name=b].image',
    ]);
    expect(await shown('.spec.strategy.type')).toEqual(['.spec.strategy']);
    expect(await shown('.spec')).toHaveLength(5);
    expect(await shown('$.spec.replicas')).toHaveLength(5);
    const diff = (await printer('diff', { only: compileScope(['.spec.replicas']) })).events([modified(before, after)]);
    expect(diff).toContain('spec.replicas: 2 → 3');
    expect(diff).not.toContain('paused');
  });

  test('long values are whole when asked for', async () => {
    const long = (letter: string) => letter.repeat(300);
    const change = modified(web({ note: long('a') }), web({ note: long('b') }));
    for (const format of ['changes', 'diff']) {
      const [cut, full] = [(await printer(format)).events([change]), (await printer(format, { fullValues: true })).events([change])];
      expect([cut.includes(long('a')), full.includes(long('a')), full.includes(long('b')), full.includes('…')]).toEqual([
        false,
        true,
        true,
        false,
      ]);
    }
  });
});
