import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyText } from '../../src/sandbox/index.ts';
import { Cli, run } from '../support/cli.ts';
import { type Fixture, startFixture } from '../support/fixture.ts';
import { findKubectl, runKubectl } from '../support/kubectl.ts';

const kubectl = findKubectl();
const missing = 'missing' in kubectl ? kubectl.missing : undefined;

const GADGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [
          { name: 'Id', type: 'integer', jsonPath: '.spec.id' },
          { name: 'Float', type: 'number', jsonPath: '.spec.float' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        },
      },
    ],
  },
};

const PATH = '/apis/example.com/v1/namespaces/shop/gadgets';
const ID = '1795316314123456700';
const NEXT = '1795316314123456789';
const SPEC = `{"id":${ID},"most":9223372036854775807,"least":-9223372036854775808,"tiny":1e-7,"float":123456789.5,"large":123456789012345680000,"zero":-0,"one":1.0,"list":[{"n":9007199254740992,"is":"even"},{"n":9007199254740993,"is":"odd"}],"keys":{"10":"ten","9":"nine","a":"b"}}`;

let fixture: Fixture;
const send = async (method: string, name: string, body: string) => {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const answer = await fixture.sandbox.handle({
    method,
    path: `${PATH}${name}`,
    headers: { 'content-type': type },
    body,
  });
  expect([answer.status, await bodyText(answer)]).toEqual([
    expect.toSatisfy((status: number) => status < 300),
    expect.any(String),
  ]);
};
const gadget = (name: string, spec: string) =>
  `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"${name}","namespace":"shop"},"spec":${spec}}`;
const stored = async (name: string) =>
  bodyText(await fixture.sandbox.handle({ method: 'GET', path: `${PATH}/${name}`, headers: {} }));
const ours = async (...line: string[]) => {
  const { code, stdout, stderr } = await run(line, { env: fixture.env });
  expect({ line, code, stderr }).toEqual({ line, code: 0, stderr });
  return stdout;
};
const get = (output: string) => ours('query', 'gadgets', 'big', '-n', 'shop', '-o', output);

beforeAll(async () => {
  fixture = await startFixture();
  fixture.sandbox.apply(GADGETS);
  await send('POST', '', gadget('big', SPEC));
  await send('POST', '', gadget('other', '{"id":1795316314123456701}'));
});
afterAll(() => fixture[Symbol.asyncDispose]());

describe('whole numbers beyond 2^53 keep every digit', () => {
  it('in every format of query', async () => {
    expect(await get('json')).toContain(`"id": ${ID},`);
    expect(await get('yaml')).toContain(`  id: ${ID}\n`);
    expect(await get('jsonpath={.spec.id} {.spec.most} {.spec.least}')).toBe(
      `${ID} 9223372036854775807 -9223372036854775808`,
    );
    expect(await get('custom-columns=ID:.spec.id,L:.spec.list[*].n')).toMatch(
      new RegExp(`${ID} +9007199254740992,9007199254740993`),
    );
    expect(await get('jq=.spec.id')).toBe(`${ID}\n`);
    expect(await ours('query', 'gadgets', 'big', '-n', 'shop')).toMatch(
      new RegExp(`^NAME +ID +FLOAT *\\nbig +${ID} +1.234567895e\\+08`),
    );
    expect(await get('jsonpath={.spec.list[?(@.n==9007199254740993)].is}')).toBe('odd');
  });

  it('in every format of watch, before and after a change of the last digits, which is one', async () => {
    await send('POST', '', gadget('moving', `{"id":${ID}}`));
    const watching = ['watch', 'gadgets/moving', '-n', 'shop', '--limit', '2'];
    const formats = [
      ['-o', 'json', '--old'],
      ['-o', 'yaml'],
      ['-o', 'jsonpath={.spec.id}'],
      ['-o', 'custom-columns=ID:.spec.id'],
      ['-o', 'jq=.object.spec.id'],
      ['-o', 'changes'],
      ['-o', 'diff'],
      [],
      ['-o', 'json', '--no-noise', '--changed', '.spec.id'],
    ];
    const watches = formats.map((format) => new Cli([...watching, ...format], { env: fixture.env }));
    try {
      const begun = (i: number) => (i === 5 || i === 6 ? 'moving' : ID);
      await Promise.all(watches.map((cli, i) => cli.until(({ stdout }) => stdout.includes(begun(i)), `${formats[i]}`)));
      await send('PATCH', '/moving', `{"spec":{"id":${NEXT}}}`);
      const ended = await Promise.all(watches.map((cli) => cli.ended()));
      for (const [i, { code, stdout }] of ended.entries())
        expect([formats[i], code, stdout]).toEqual([formats[i], 0, expect.stringContaining(NEXT)]);
      expect(ended[0]?.stdout).toContain(`"changed":[".spec.id"]`);
      expect(ended[0]?.stdout).toMatch(new RegExp(`"oldObject":.*"id":${ID}`));
      expect(ended[5]?.stdout).toContain(`.spec.id: ${ID} → ${NEXT}`);
      expect(ended[6]?.stdout).toContain(`spec.id: ${ID} → ${NEXT}`);
    } finally {
      for (const cli of watches) await cli[Symbol.asyncDispose]();
    }
  });

  it('in conditions: one that the value never had is not met, the one it has is', async () => {
    const wait = (...flags: string[]) =>
      run(['watch', 'gadgets/big', '-n', 'shop', '--timeout', '1s', '-o', 'name', ...flags], { env: fixture.env });
    expect((await wait('--until', `object.spec.id == ${ID}`)).code).toBe(0);
    expect((await wait('--until', 'object.spec.id == 1795316314123456768')).code).toBe(3);
    expect((await wait('--for', `jsonpath={.spec.id}=${ID}`)).code).toBe(0);
    expect((await wait('--for', 'jsonpath={.spec.id}=1795316314123456768')).code).toBe(3);
    expect((await wait('--for', 'jsonpath={.spec.tiny}=1e-07')).code).toBe(0);
  });

  it('in filters, lookups, ranges, values, groups and sorting', async () => {
    const index = ['--index', 'id=.spec.id'];
    const query = (...flags: string[]) =>
      ours('query', 'gadgets', 'big', 'other', '-n', 'shop', '-o', 'name', ...flags);
    expect(await query('--filter', `object.spec.id + 1 == 1795316314123456701`)).toBe('gadget.example.com/big\n');
    expect(await query(...index, '--eq', `id=${ID}`)).toBe('gadget.example.com/big\n');
    expect(await query(...index, '--in', `id=1795316314123456701,5`)).toBe('gadget.example.com/other\n');
    expect(await query(...index, '--range', `id=1795316314123456701..`)).toBe('gadget.example.com/other\n');
    expect(await ours('query', 'gadgets', 'big', 'other', '-n', 'shop', ...index, '--values', 'id')).toMatch(
      /1795316314123456700 +1\n1795316314123456701 +1/,
    );
    const sorted = await ours('query', 'gadgets', 'other', 'big', '-n', 'shop', '-o', 'name', '--sort-by', '.spec.id');
    expect(sorted).toBe('gadget.example.com/big\ngadget.example.com/other\n');
    expect(await ours('query', 'gadgets', 'big', 'other', '-n', 'shop', '--group-by', '.spec.id')).toMatch(
      /1795316314123456700 +1\n1795316314123456701 +1/,
    );
    const shown = await ours('watch', 'gadgets', '-n', 'shop', '--once', '--where', `ID == ${ID}`, '-o', 'name');
    expect(shown).toBe('gadget.example.com/big\n');
  });

  it('beyond every double: in -o diff and changes, from one to another', async () => {
    await send('POST', '', gadget('huge', '{"float":1E400}'));
    for (const [format, expected] of [
      ['diff', /^~ spec\.float: 1E400 → 2E400$/m],
      ['changes', /\.spec\.float\b.* 1E400 → 2E400\b/],
    ] as const) {
      await send('PATCH', '/huge', '{"spec":{"float":1E400}}');
      await using cli = new Cli(['watch', 'gadgets', 'huge', '-n', 'shop', '-o', format], { env: fixture.env });
      await cli.until((c) => c.stdout.includes('ADDED'), 'the initial list');
      await send('PATCH', '/huge', '{"spec":{"float":2E400}}');
      await cli.until((c) => c.stdout.includes('2E400'), 'the change');
      expect(cli.stdout).toMatch(expected);
    }
  });

  it('through hooks and what they write, whether programs or modules', async () => {
    await send('POST', '', gadget('copied', `{"id":${ID},"float":1E400}`));
    const script = path.join(fixture.folder, 'copy-hook');
    await writeFile(
      script,
      `#!${process.execPath}
const { readFileSync } = require('node:fs');
const text = readFileSync(0, 'utf8');
const [, id] = /"spec":\\{"id":(\\d+)/.exec(text) ?? [];
if (!text.includes('"copy"')) console.log('{"actions":[{"patch":{"spec":{"copy":' + id + ',"huge":' + (/"float":(1E400)/.exec(text) ?? [])[1] + '}}}]}');
`,
    );
    await chmod(script, 0o755);
    const module = path.join(fixture.folder, 'copy.ts');
    await writeFile(
      module,
      `export default async function reconcile(ctx: any) {
  const { object } = ctx;
  if (!object || !object.spec.copy || object.spec.again) return;
  const cloned = structuredClone({ ...object.spec, float: 0, huge: 0 });
  const type = { group: 'example.com', version: 'v1', resource: 'gadgets' };
  await ctx.client.resource(type, { namespace: 'shop' }).update({ ...object, spec: { ...object.spec, again: cloned.copy, json: JSON.stringify(object.spec) } });
  console.log('written');
}
`,
    );
    for (const hook of [script, module]) {
      await using cli = new Cli(['reconcile', 'gadgets/copied', '-n', 'shop', '--hook', hook, '--allow-write'], {
        env: fixture.env,
      });
      const key = hook === script ? 'copy' : 'again';
      const spec = () =>
        fixture.sandbox.get({ group: 'example.com', version: 'v1', resource: 'gadgets' }, 'shop/copied')
          ?.spec as Record<string, unknown>;
      await cli.until(() => spec()[key] !== undefined, `the write of ${hook}`);
      cli.kill('SIGTERM');
      expect((await cli.ended()).code).toBe(0);
    }
    const text = await stored('copied');
    expect(text).toContain(`"copy":${ID}`);
    expect(text).toContain(`"again":${ID}`);
    expect(text).toContain(`"huge":1E400`);
    expect(text).toContain(`"float":1E400`);
    expect(text).toContain(`"json":"{\\"id\\":${ID},\\"float\\":1E400,`);
  });
});

describe.skipIf(missing)(`numbers and keys print as kubectl prints them (${missing ?? 'kubectl 1.35'})`, () => {
  const kube = async (...args: string[]) => {
    const common = [
      '--kubeconfig',
      fixture.env.KUBECONFIG,
      '--cache-dir',
      path.join(fixture.folder, 'cache'),
      '-n',
      'shop',
    ];
    const { code, stdout, stderr } = await runKubectl('path' in kubectl ? kubectl.path : '', [...common, ...args]);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr });
    return stdout;
  };

  it.each([
    'json',
    'yaml',
    'name',
    'jsonpath={.spec}',
    'jsonpath={.spec.tiny} {.spec.float} {.spec.large} {.spec.zero} {.spec.one} {.spec.most}',
    'jsonpath={.spec.list[?(@.n==9007199254740993)]}',
    'jsonpath={.spec.list[?(@.n>9007199254740992)].is}',
    'custom-columns=A:.spec.tiny,B:.spec.float,C:.spec.large,D:.spec.least,E:.spec.list,F:.spec.keys',
  ])('-o %s', async (output) => {
    const withoutFields = (text: string) =>
      text
        .replace(/"managedFields": \[[\s\S]*?\n {8}\],\n/, '')
        .replace(/ {2}managedFields:[\s\S]*?\n {2}(?=[a-z])/, '  ');
    expect(await get(output)).toBe(withoutFields(await kube('get', 'gadgets', 'big', '-o', output)));
  });

  it('a table', async () => {
    expect(await ours('query', 'gadgets', 'big', '-n', 'shop')).toBe(await kube('get', 'gadgets', 'big'));
  });
});
