import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Finished, run } from '../support/cli.ts';
import { type ConfigMapServer, configMapServer, configMapText, nested } from '../support/config-map-server.ts';

const HEAD = '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[';
const metadata = (name: string, more = '') =>
  `"metadata":{"name":"${name}","namespace":"shop","uid":"u-${name}","resourceVersion":"3","creationTimestamp":"2026-01-01T00:00:00Z"${more}}`;

/** Objects as no server should write them, and as some do. */
const HOSTILE = [
  `{${metadata('a1')},"data":{"n":"1"}}`,
  `{${metadata('a2', ',"managedFields":[{"manager":"x]","fieldsV1":{"f:a":{}}}]')},"data":{"n":"1","s":"a\\u003cb \\u0026 \\ud83d\\ude00 \\ud800 \\/ \\u2028"}}`,
  `{${metadata('a3')},"data":{"n":"2"},"spec":{"10":1,"9":2,"b":3,"big":9007199254740993,"f":1.0,"e":1e2,"h":1e400,"z":-0}}`,
  `{${metadata('a4')},"data":{"n":"1"},"spec":${nested(1500, '1')}}`,
  `{${metadata('a5')},"data":{"n":"1"},"spec":${nested(300, '1')}}`,
  `{"kind":"ConfigMap","apiVersion":"v1",${metadata('a6')},"data":{"n":"1"}}`,
  `{"apiVersion":"v1","kind":"Secret",${metadata('a7')},"data":{"n":"c2VjcmV0"}}`,
  `{"kind":"Secret",${metadata('a8')},"data":{"n":"c2VjcmV0"}}`,
  `{"apiVersion":"v1",${metadata('a9')},"data":{"n":"1"}}`,
  '{ "metadata" : {"name":"b1","namespace":"shop"}, "data": {"n":"1"} }',
  `{${metadata('b2')},"spec":{"list":[{"metadata":{"name":"x"}},{"metadata":{"name":"y","namespace":"q"}}]},"data":{"n":"1"}}`,
  `{${metadata('b3', ',"managedFields":[],"labels":{"1":"x","é":"ü"}')},"data":null,"spec":{"u":"日本 \\n\\t\\b\\f\\r \\u0000 \\u001b[31m"}}`,
  `{${metadata('b4')},"data":"text","spec":null}`,
  '{"metadata":{"managedFields":[{"a":1}],"name":"b5","namespace":"shop"},"data":{"n":"1"}}',
  '{"metadata":{"name":"b6","namespace":"shop","managedFields":[{"a":"]"},{"b":["x"]}]},"data":{"n":"1"},"__proto__":{"x":1}}',
  '{"metadata":{"name":"b7\\u001b[2J","namespace":"shop"},"data":{"n":"1"}}',
];

const COLUMNS =
  '"columnDefinitions":[{"name":"Name","type":"string","format":"name","description":"","priority":0},{"name":"N","type":"string","format":"","description":"","priority":0},{"name":"Age","type":"string","format":"","description":"","priority":0}]';

function hostileBody(accept: string): string {
  if (!accept.includes('as=Table')) return `${HEAD}${HOSTILE.join(',')}]}\n`;
  const rows = HOSTILE.map((text, i) => `{"cells":["n${i}\\u003c",{"a":9007199254740993},"1d"],"object":${text}}`);
  return `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"5"},${COLUMNS},"rows":[${rows.join(',')}]}\n`;
}

/** Times, ages and digests differ in each run. */
const settled = (text: string) =>
  text
    .replace(/"time":"[^"]*"/g, '"time":""')
    .replace(/^( *)time: .*$/gm, '$1time:')
    .replace(/hmac:[0-9a-f]{8}/g, 'hmac:')
    .replace(/\d+[dhms]\b/g, 'AGE');

const texts = ({ stdout, stderr }: Finished) => ({ stdout: settled(stdout), stderr: settled(stderr) });

describe('a list that is printed as it arrives is printed as one that is kept', () => {
  let server: ConfigMapServer;
  beforeAll(async () => {
    server = await configMapServer(({ send }, { req }) => send(hostileBody(req.headers.accept ?? '')));
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it.each([
    [],
    ['--no-headers'],
    ['-o', 'wide', '--show-labels', '-L', 'é'],
    ['-o', 'json'],
    ['-o', 'ndjson'],
    ['-o', 'json', '--show-managed-fields'],
    ['-o', 'json', '--with-changes'],
    ['-o', 'yaml'],
    ['-o', 'kyaml'],
    ['-o', 'name'],
    ['-o', 'jsonpath={.metadata.name}{"\\t"}{.spec.big}{.data.n}'],
    ['-o', 'jsonpath={.metadata.managedFields[*].manager}'],
    ['-o', 'jsonpath={.spec.list[1].metadata.name}'],
    ['-o', 'jsonpath-as-json={.metadata.name}'],
    ['-o', 'jsonpath={..namespace}'],
    ['-o', 'custom-columns=A:.metadata.name,B:.data.n,C:.spec'],
    ['-o', 'json', '--filter', 'object.data.n == "1"'],
    ['-o', 'json', '--filter', 'object.metadata.managedFields.exists(m, m.manager == "x]")'],
    ['-o', 'name', '--filter', 'object.data.n == "1" && !has(object.spec.u)'],
    ['-o', 'name', '--filter', 'object.spec.big > 1'],
    ['-o', 'name', '--filter', 'event == "ADDED" && object.kind == "Secret"'],
    ['-o', 'name', '--filter', 'size(object.data.n + 1) > 1'],
    ['-o', 'name', '--filter', 'object.data.m == "1"'],
    ['-o', 'name', '--filter', 'object.data.n == "11"'],
    ['-o', 'name', '--name', '^a', '--exclude-name', '[3-5]$'],
    ['--where', 'NAME.startsWith("n1")'],
    ['-o', 'json', '--where', 'NAME.startsWith("n1")'],
    ['-o', 'jsonpath={.data.n}', '--where', 'NAME.startsWith("n1")'],
    ['-o', 'name', '--limit', '3'],
    ['--limit', '2'],
    ['-o', 'jsonpath={.metadat.name}'],
  ])('watch %s %s %s %s', { timeout: 60_000 }, (...args: string[]) => isSame(['watch', '--once'], '--strict', args));

  it.each([
    [],
    ['--count'],
    ['-o', 'wide', '--show-labels'],
    ['-o', 'json'],
    ['-o', 'ndjson'],
    ['-o', 'yaml'],
    ['-o', 'kyaml'],
    ['-o', 'name'],
    ['-o', 'csv'],
    ['-o', 'csv=A:.metadata.name,B:.spec.big'],
    ['-o', 'custom-columns=A:.metadata.name,B:.data.n'],
    ['-o', 'jsonpath={.metadata.name}{.spec.big}'],
    ['-o', 'jsonpath={.items[*].metadata.name}'],
    ['-o', 'jsonpath={.spec.list[7]}'],
    ['-o', 'json', '--show-managed-fields', '--limit', '2'],
    ['--count', '--limit', '2'],
    ['--count', '--filter', 'object.data.n == "1"'],
    ['-o', 'name', '--filter', 'object.data.n == "11"'],
    ['-o', 'name', '--filter', 'object.data.m == "1"'],
    ['-o', 'json', '--filter', 'size(object.data.n + 1) > 1'],
    ['-o', 'name', '--filter', 'object.metadata.labels.x == "1" && object.data.n.startsWith("1")'],
    ['--where', 'NAME.startsWith("n1")', '-o', 'name'],
    ['-o', 'jsonpath={.metadat.name}'],
  ])('query %s %s %s %s', { timeout: 60_000 }, (...args: string[]) => isSame(['query'], '--fresh=1h', args));

  /** `kept` is a flag by which the command keeps its objects, and which changes nothing of what it prints here. */
  async function isSame([command = '', ...flags]: string[], kept: string, args: string[]) {
    const line = [command, 'configmaps', '-n', 'shop', '--no-serve', ...flags, ...args];
    const [passed, other] = await Promise.all([
      run(line, { env: server.env }),
      run([...line, kept], { env: server.env }),
    ]);
    expect({ ...passed, ...texts(passed) }).toEqual({ ...other, ...texts(other) });
    expect(passed.signal).toBeNull();
  }
});

describe('a list of any length', () => {
  const OBJECTS = 40_000;
  const HEAP_MIB = 40;
  const filler = JSON.stringify({ text: 'x'.repeat(5000) });

  /** Writes the items while their reader takes them. */
  function writeItems(response: ServerResponse, from: number): void {
    let at = from;
    while (at < OBJECTS) {
      const text = configMapText(`map-${String(at).padStart(6, '0')}`, 1, filler);
      const hasRoom = response.write(`${at > 0 ? ',' : ''}${text}`);
      at++;
      if (!hasRoom) return void response.once('drain', () => writeItems(response, at));
    }
    response.end(']}');
  }

  let server: ConfigMapServer;
  beforeAll(async () => {
    server = await configMapServer((_, response) => {
      response.setHeader('content-type', 'application/json').write(HEAD);
      writeItems(response, 0);
    });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it.each([
    ['watch', '--once', '-o', 'name'],
    ['watch', '--once', '-o', 'jsonpath={.metadata.name}'],
    ['watch', '--once', '-o', 'json', '--filter', 'object.metadata.name.endsWith("7")'],
    ['query', '-o', 'name'],
    ['query', '--count', '--filter', 'object.metadata.name.endsWith("7")'],
  ])('needs no more memory than a short one: %s %s %s %s', { timeout: 120_000 }, async (...args) => {
    const env = { ...server.env, NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` };
    const line = [...args.slice(0, 1), 'configmaps', '-n', 'shop', '--no-serve', ...args.slice(1)];
    const { code, stdout, stderr } = await run(line, { env });
    expect([code, stderr]).toEqual([0, '']);
    if (args.includes('--count')) expect(stdout).toBe(`${OBJECTS / 10}\n`);
    else expect(stdout.split('\n')).toHaveLength(1 + (args.includes('--filter') ? OBJECTS / 10 : OBJECTS));
  });
});

describe('a list that breaks off while it is printed', () => {
  const NAMES = ['a', 'b', 'c', 'd', 'e'];
  const items = (names: readonly string[], version = '3') =>
    names.map((name) => `{${metadata(name).replace('"resourceVersion":"3"', `"resourceVersion":"${version}"`)}}`);
  const GONE =
    '{"kind":"Status","apiVersion":"v1","status":"Failure","code":410,"reason":"Expired","message":"too old resource version"}';

  /** Runs `watch --once` on a server whose first list breaks off after three objects; gives what was asked then. */
  async function brokenOff(
    exact: (response: ServerResponse) => void,
    args: string[],
    later: readonly string[] = NAMES,
  ) {
    const asked: string[] = [];
    await using server = await configMapServer((_, response) => {
      const { searchParams } = new URL(response.req.url ?? '', 'http://x');
      asked.push(searchParams.get('resourceVersionMatch') ?? 'any');
      response.setHeader('content-type', 'application/json');
      if (asked.length === 1) {
        const begun = `${HEAD}${items(NAMES).slice(0, 3).join(',')},{"metadata":{`;
        response.write(begun, () => setImmediate(() => response.destroy()));
      } else if (searchParams.get('resourceVersionMatch') === 'Exact') exact(response);
      else response.end(`${HEAD.replace('"5"', '"9"')}${items(later, '8').join(',')}]}`);
    });
    const line = ['watch', 'configmaps', '-n', 'shop', '--once', '--no-serve', ...args];
    const ended = await run(line, { env: server.env });
    return { ...ended, asked, names: ended.stdout.split('\n').slice(0, -1) };
  }

  const whole = (response: ServerResponse) => response.end(`${HEAD}${items(NAMES).join(',')}]}`);
  const gone = (response: ServerResponse) => response.writeHead(410).end(GONE);
  const other = (response: ServerResponse) => response.end(`${HEAD}${items(NAMES, '4').join(',')}]}`);
  const [A, B, C, D, E] = NAMES.map((name) => `configmap/${name}`);

  it('goes on at the same version, with each object once', async () => {
    const { names, code, asked } = await brokenOff(whole, ['-o', 'name']);
    expect({ names, code, asked }).toEqual({ names: [A, B, C, D, E], code: 0, asked: ['any', 'Exact'] });
  });

  it('goes on with a later state where the server does not know the version any more, and says so', async () => {
    const { names, code, stderr, asked } = await brokenOff(gone, ['-o', 'name'], ['a', 'bb', 'cc', 'e']);
    expect({ names, code, asked }).toEqual({
      names: [A, B, C, 'configmap/cc', E],
      code: 0,
      asked: ['any', 'Exact', 'any'],
    });
    expect(stderr).toContain(
      'the list of configmaps broke off after 3 objects, and the server does not know its state any more: the rest is of a later state, so what changed among the first 3 since then is not shown',
    );
  });

  it('is an error where the server gives another list for the version', { timeout: 60_000 }, async () => {
    const { code, stderr, names } = await brokenOff(other, ['-o', 'name']);
    expect([code, names]).toEqual([1, [A, B, C]]);
    expect(stderr).toContain('the list broke off after 3 objects, and the server does not give its rest');
    expect(stderr).toContain('hint: what was printed is a part of the list: run the command again');
  });

  it('begins again where nothing was printed yet, as of a table', async () => {
    const { stdout, code, asked } = await brokenOff(whole, ['-o', 'custom-columns=N:.metadata.name,V:.metadata.resourceVersion']); // biome-ignore format: one line
    expect({ stdout, code, asked }).toEqual({
      stdout: 'N   V\na   8\nb   8\nc   8\nd   8\ne   8\n'.replaceAll(/^(\w) {3}/gm, '$1     '),
      code: 0,
      asked: ['any', 'any'],
    });
  });
});
