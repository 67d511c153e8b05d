import { loadAll } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { parseOutputFormat } from '../../../src/output/formats.ts';
import { answer, clock, createPrinter, deployment, event, lines, pod } from '../fixtures.ts';

const printer = (format: string, options: object = {}) =>
  createPrinter(parseOutputFormat(format), { clock, ...options });

describe('json', () => {
  test('prints an event a line', async () => {
    const one = event('ADDED', pod('web-1'));
    const two = event('DELETED', deployment('web'));
    expect((await printer('json')).events([one, two])).toBe(
      `${JSON.stringify(one.event)}\n${JSON.stringify(two.event)}\n`,
    );
  });

  test('prints an answer as a List, as kubectl does', async () => {
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
    const text = [...(await printer('json')).objects(answer(object, object))].join('');
    expect(text).toBe(
      `${JSON.stringify({ apiVersion: 'v1', items: [object, object], kind: 'List', metadata: { resourceVersion: '' } }, undefined, 4)}\n`,
    );
  });

  test('sorts keys and escapes as kubectl does', async () => {
    const object = { kind: 'Pod', apiVersion: 'v1', spec: { b: [{ d: 1, c: '<&>' }], a: null } };
    expect([...(await printer('json', { single: true })).objects(answer(object as never))].join('')).toBe(
      `{
    "apiVersion": "v1",
    "kind": "Pod",
    "spec": {
        "a": null,
        "b": [
            {
                "c": "\\u003c\\u0026\\u003e",
                "d": 1
            }
        ]
    }
}
`,
    );
  });

  test('prints an empty answer as an empty List', async () => {
    const text = [...(await printer('json')).objects([])].join('');
    expect(text).toBe(
      `${JSON.stringify({ apiVersion: 'v1', items: [], kind: 'List', metadata: { resourceVersion: '' } }, undefined, 4)}\n`,
    );
  });

  test('prints an object asked for by name by itself', async () => {
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
    expect([...(await printer('json', { single: true })).objects(answer(object))].join('')).toBe(
      `${JSON.stringify(object, undefined, 4)}\n`,
    );
  });

  test('holds no byte that a terminal obeys, and reads back the same; elsewhere it is the data', async () => {
    const hostile = pod('x', 'Running', { text: '\x1b[31m \x9b31m \x7f \u0085 é\n' });
    const text = (await printer('json', { terminal: true })).events([event('ADDED', hostile)]);
    expect(text.slice(0, -1)).not.toMatch(/\p{Cc}/u);
    expect(JSON.parse(text).object.text).toBe('\x1b[31m \x9b31m \x7f \u0085 é\n');
    expect((await printer('json')).events([event('ADDED', hostile)])).toContain(
      '"\\u001b[31m \x9b31m \x7f \u0085 é\\n"',
    );
  });
});

describe('yaml', () => {
  test('prints events as documents that say where they end', async () => {
    const one = event('ADDED', pod('web-1'));
    const text = (await printer('yaml')).events([one, event('ADDED', deployment('web'))]);
    expect(lines(text).slice(0, 6)).toEqual([
      '---',
      'type: ADDED',
      'object:',
      '  apiVersion: v1',
      '  kind: Pod',
      '  metadata:',
    ]);
    expect(text.split('\n').filter((line) => line === '...')).toHaveLength(2);
    expect(loadAll(text)).toEqual([JSON.parse(JSON.stringify(one.event)), expect.objectContaining({ type: 'ADDED' })]);
  });

  const settings = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
    data: { n: '1', yes: 'on', text: 'a\n\nb\n' },
    list: [{ b: 1, a: 2 }, []],
  };

  test('prints an answer as a List with sorted keys, as kubectl does', async () => {
    const item = [
      ...['- apiVersion: v1', '  data:', '    "n": "1"', '    text: |', '      a', '', '      b', '    "yes": "on"'],
      ...['  kind: ConfigMap', '  list:', '  - a: 2', '    b: 1', '  - []', '  metadata:', '    name: a'],
    ];
    expect(lines((await printer('yaml')).objects(answer(settings, settings)))).toEqual([
      ...['apiVersion: v1', 'items:', ...item, ...item, 'kind: List', 'metadata:', '  resourceVersion: ""', ''],
    ]);
    expect(lines((await printer('yaml')).objects([]))).toEqual([
      ...['apiVersion: v1', 'items: []', 'kind: List', 'metadata:', '  resourceVersion: ""', ''],
    ]);
  });

  test('prints an object asked for by name by itself', async () => {
    const text = [...(await printer('yaml', { single: true })).objects(answer(settings))].join('');
    expect(text).toMatch(/^apiVersion: v1\ndata:\n {2}"n": "1"\n/);
    expect(loadAll(text)).toEqual([settings]);
  });

  test('escapes what a terminal would obey', async () => {
    const text = (await printer('yaml')).events([event('ADDED', pod('x', 'Running', { text: '\x1b[31m \x9b31m' }))]);
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });
});

describe('name', () => {
  test('prints the name that every command takes', async () => {
    const names = await printer('name');
    expect(names.events([event('ADDED', pod('web-1')), event('DELETED', deployment('web'))])).toBe(
      'pod/web-1\ndeployment.apps/web\n',
    );
    expect([...names.objects(answer(pod('web-1'), deployment('web')))].join('')).toBe(
      'pod/web-1\ndeployment.apps/web\n',
    );
  });
});

describe('jsonpath', () => {
  test('prints each event on a line of its own', async () => {
    const path = await printer('jsonpath={.metadata.name} {.spec.nope}');
    expect(path.events([event('ADDED', pod('a')), event('ADDED', pod('b'))])).toBe('a \nb \n');
    expect((await printer('jsonpath={.metadata.name}{"\\n"}')).events([event('ADDED', pod('a'))])).toBe('a\n');
  });

  test('takes a template written for a List also in a stream', async () => {
    const path = await printer('jsonpath={range .items[*]}{.metadata.name}{"\\n"}{end}');
    expect(path.events([event('ADDED', pod('a')), event('ADDED', pod('b'))])).toBe('a\nb\n');
  });

  test('gives a template written for a List the whole answer', async () => {
    const path = await printer('jsonpath={.items[*].metadata.name}');
    expect([...path.objects(answer(pod('a'), pod('b')))].join('')).toBe('a b');
  });

  test('prints each object of an answer on a line with any other template', async () => {
    const path = await printer('jsonpath=.metadata.name');
    expect([...path.objects(answer(pod('a'), pod('b')))].join('')).toBe('a\nb\n');
  });

  test('adds nothing to an object asked for by name', async () => {
    expect([...(await printer('jsonpath={.metadata.name}', { single: true })).objects(answer(pod('a')))].join('')).toBe(
      'a',
    );
  });

  test('neutralises values for a terminal but not the text of the template; elsewhere it prints the bytes', async () => {
    const hostile = [event('ADDED', pod('x', '', { text: '\x1b[31m\r\n\tb\rc' }))];
    const template = 'jsonpath={"\\x1b[1m"}{.text}';
    expect((await printer(template, { terminal: true })).events(hostile)).toBe('\x1b[1m^[[31m\r\n\tb\\rc\n');
    expect((await printer(template)).events(hostile)).toBe('\x1b[1m\x1b[31m\r\n\tb\rc\n');
  });

  test("throws kubectl's words for an index out of range", async () => {
    const path = await printer('jsonpath={.spec.containers[3]}');
    expect(() => path.events([event('ADDED', pod('a'))])).toThrow('array index out of bounds: index 3, length 1');
  });

  test('takes $ expressions', async () => {
    expect(
      (await printer('jsonpath=$.spec.containers[?(@.image && @.name)].image')).events([event('ADDED', pod('a'))]),
    ).toBe('app:1\n');
  });
});
