import { loadAll } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { parseOutputFormat, withFileText } from '../../../src/output/output-format.ts';
import { answer, clock, createPrinter, deployment, event, lines, pod } from '../fixtures.ts';

const printer = (format: string, options: object = {}) => createPrinter(parseOutputFormat(format), { clock, ...options });

describe('json', () => {
  test('prints an event a line', async () => {
    const one = event('ADDED', pod('web-1'));
    const two = event('DELETED', deployment('web'));
    expect((await printer('json')).events([one, two])).toBe(`${JSON.stringify(one.event)}\n${JSON.stringify(two.event)}\n`);
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
    expect((await printer('json')).events([event('ADDED', hostile)])).toContain('"\\u001b[31m \x9b31m \x7f \u0085 é\\n"');
  });
});

describe('yaml', () => {
  test('prints events as documents that say where they end', async () => {
    const one = event('ADDED', pod('web-1'));
    const text = (await printer('yaml')).events([one, event('ADDED', deployment('web'))]);
    expect(lines(text).slice(0, 6)).toEqual(['---', 'type: ADDED', 'object:', '  apiVersion: v1', '  kind: Pod', '  metadata:']);
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
    expect(names.events([event('ADDED', pod('web-1')), event('DELETED', deployment('web'))])).toBe('pod/web-1\ndeployment.apps/web\n');
    expect([...names.objects(answer(pod('web-1'), deployment('web')))].join('')).toBe('pod/web-1\ndeployment.apps/web\n');
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
    expect([...(await printer('jsonpath={.metadata.name}', { single: true })).objects(answer(pod('a')))].join('')).toBe('a');
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
    expect((await printer('jsonpath=$.spec.containers[?(@.image && @.name)].image')).events([event('ADDED', pod('a'))])).toBe('app:1\n');
  });
});

describe('custom-columns', () => {
  test('prints the headings of an empty answer, as kubectl does', async () => {
    expect([...(await printer('custom-columns=A:.a,B:.b')).objects([])].join('')).toBe('A     B\n');
    expect([...(await printer('custom-columns=A:.a', { noHeaders: true })).objects([])].join('')).toBe('');
  });

  const spec = 'custom-columns=NAME:.metadata.name,IMAGES:.spec.containers[*].image,Some:spec,NONE:.nope,NULL:.nul';

  test("prints cells as kubectl's does", async () => {
    const columns = await printer(spec);
    const odd = pod('a', '', { spec: { b: [1, 'x'], a: { c: true } }, nul: null });
    expect(lines(columns.objects(answer(odd, pod('longer-name'))))).toEqual([
      'NAME          IMAGES   Some                                                      NONE     NULL',
      'a             <none>   map[a:map[c:true] b:[1 x]]                                <none>   <nil>',
      'longer-name   app:1    map[containers:[map[image:app:1 name:app]] nodeName:n1]   <none>   <none>',
      '',
    ]);
  });

  test('prints one heading in a stream, and only the columns asked for', async () => {
    const columns = await printer('custom-columns=N:.metadata.name,I:{.spec.containers[0].image}');
    expect(columns.events([event('ADDED', pod('a'))])).toBe('N     I\na     app:1\n');
    expect(columns.events([event('DELETED', pod('b'))])).toBe('b     app:1\n');
    expect((await printer('custom-columns=N:.metadata.name', { noHeaders: true })).events([event('ADDED', pod('a'))])).toBe('a\n');
  });

  test('keeps commas within brackets and quotes together', async () => {
    const columns = await printer(`custom-columns=A:.metadata['name','namespace'],B:.spec.containers[?(@.name=="a,b")].image`, {
      noHeaders: true,
    });
    expect(columns.events([event('ADDED', pod('a'))])).toBe('a,shop   <none>\n');
  });

  test('shows line ends in a value, and neutralises it', async () => {
    const columns = await printer('custom-columns=T:.text', { noHeaders: true });
    expect(columns.events([event('ADDED', pod('a', '', { text: '\x1b[1mone\ntwo' }))])).toBe('^[[1mone\\ntwo\n');
  });

  test('reads a file of headings and paths', async () => {
    const format = parseOutputFormat('custom-columns-file=columns.txt');
    if (format.kind !== 'file') throw new Error('not a file');
    const columns = await createPrinter(withFileText(format, 'NAME     NODE\n{metadata.name}   .spec.nodeName\n'), { clock });
    expect(columns.events([event('ADDED', pod('a'))])).toBe('NAME   NODE\na      n1\n');
  });

  test.each([
    ['custom-columns', 'custom-columns format specified but no custom columns given'],
    ['custom-columns=', 'custom-columns format specified but no custom columns given'],
    ['custom-columns=NAME', 'unexpected custom-columns spec: NAME, expected <header>:<json-path-expr>'],
    ['custom-columns=A:.a,', 'unexpected custom-columns spec: , expected <header>:<json-path-expr>'],
    ['custom-columns=A:.a[', 'unterminated array at position 2'],
  ])("refuses in kubectl's words: %s", async (format, message) => {
    await expect(printer(format)).rejects.toThrow(message);
  });

  test.each([
    ['', 'invalid template, missing header line.'],
    ['A B', 'invalid template, missing spec line.'],
    ['A B\n.a', "number of headers (2) and field specifications (1) don't match"],
  ])('refuses a file that is not two lines of as many words: %j', async (text, message) => {
    await expect(createPrinter({ kind: 'custom-columns-file', text }, { clock })).rejects.toThrow(message);
  });
});

describe('-o', () => {
  test.each([
    ['', { kind: 'table', wide: false }],
    ['wide', { kind: 'table', wide: true }],
    ['json', { kind: 'json' }],
    ['jsonpath={.a=b}', { kind: 'jsonpath', template: '{.a=b}' }],
    ['jsonpath-file=x', { kind: 'file', of: 'jsonpath', path: 'x' }],
    ['custom-columns-file=x=y', { kind: 'file', of: 'custom-columns', path: 'x=y' }],
  ])('%s', (text, expected) => {
    expect(parseOutputFormat(text)).toEqual(expected);
  });

  test.each([
    ['xyz', 'unable to match a printer suitable for the output format "xyz", allowed formats are: changes,custom-columns,'],
    ['json=1', 'unable to match a printer suitable for the output format "json=1"'],
    ['jsonpath', 'template format specified but no template given'],
    ['go-template={{.x}}', 'output format "go-template" is not supported'],
    ['jsonpath-file', 'unable to match a printer suitable for the output format "jsonpath-file"'],
  ])('%s is refused', (text, message) => {
    expect(() => parseOutputFormat(text)).toThrow(message);
  });

  test.each(['go-template', 'go-template={{.x}}', 'go-template-file=x', 'template', 'templatefile=x', 'template={{.x}}'])(
    '%s is refused with what to use instead',
    (text) => {
      expect(() => parseOutputFormat(text)).toThrow(expect.objectContaining({ hint: 'use -o jsonpath=… or -o custom-columns=…' }));
    },
  );

  test('a typing error is reported', () => {
    expect(() => parseOutputFormat('jsno')).toThrow(expect.objectContaining({ hint: 'did you mean -o json?' }));
  });

  test('a template from a file is a template', () => {
    expect(withFileText({ kind: 'file', of: 'jsonpath', path: 'x' }, '{.a}')).toEqual({ kind: 'jsonpath', template: '{.a}' });
  });
});
