import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readFixtures, refusedFixture } from '../../../src/cli/reconcile/fixtures.ts';
import { InformerError } from '../../../src/kit/error.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fixtures-'));
});
afterEach(() => rm(folder, { recursive: true }));

const POD = '{ apiVersion: v1, kind: Pod, metadata: { name: a, namespace: shop } }';

async function reading(text: string, type?: string) {
  const file = path.join(folder, 'one.yaml');
  await writeFile(file, text);
  return await readFixtures(file, type);
}

it('reads the files of a folder in the order of their names, and nothing else that is there', async () => {
  for (const name of ['b.yaml', 'a.yml', 'notes.txt'])
    await writeFile(path.join(folder, name), 'type: pods\nexpect: { actions: [] }');
  await mkdir(path.join(folder, 'more'));
  expect((await readFixtures(folder, undefined)).map(({ name, type }) => [name, type])).toEqual([
    ['a', 'pods'],
    ['b', 'pods'],
  ]);
});

it('reads what is given and expected: durations, actions with their defaults, and no log lines', async () => {
  const [fixture] = await reading(`type: pods
given: [${POD}]
key: shop/a
expect:
  actions: [{ log: seen }, { patch: { spec: {} } }]
  requeueAfter: 1m30s
  parked: false
`);
  expect(fixture).toMatchObject({
    key: 'shop/a',
    given: [{ kind: 'Pod', metadata: { name: 'a' } }],
    expect: {
      actions: [{ verb: 'patch', patchType: 'merge', body: { spec: {} } }],
      requeueAfterMs: 90_000,
      parked: false,
    },
  });
  expect((await reading('expect: { parked: true }', 'nodes'))[0]).toMatchObject({
    type: 'nodes',
    given: [],
    key: undefined,
  });
  expect((await reading('type: pods\nexpect: { parked: true }', 'nodes'))[0]?.type).toBe('pods');
});

it.each([
  ['type: [', /one\.yaml: no YAML: /],
  ['- 1', /one\.yaml:1: it must be a map with type, given and expect$/],
  ['expect: {}', /one\.yaml:1: type is missing/],
  ['type: pods\nexpect: {}', /one\.yaml:2: expect is empty, so nothing would be checked$/],
  ['type: pods\nexpect: { parked: true }\ngivven: []', /one\.yaml:3: unknown key "givven"$/],
  ['type: pods\nexpect:\n  acions: []', /one\.yaml:3: unknown key "acions"$/],
  ['type: pods\ngiven: { a: 1 }\nexpect: { parked: true }', /one\.yaml:2: given must be a list of objects$/],
  [
    'type: pods\ngiven:\n  - { kind: Pod }\nexpect: { parked: true }',
    /one\.yaml:2: an object of given needs apiVersion, kind and/,
  ],
  ['type: pods\nkey: [a]\nexpect: { parked: true }', /one\.yaml:2: key must be a text: namespace\/name$/],
  ['type: pods\ndeleted: true\nexpect: { parked: true }', /one\.yaml:2: deleted: true and old go together/],
  [`type: pods\nold: ${POD}\nexpect: { parked: true }`, /one\.yaml:2: deleted: true and old go together/],
  ['type: pods\nexpect:\n  absent: [{ kind: Pod }]', /one\.yaml:3: each of absent needs apiVersion, kind and name/],
  ['type: pods\nexpect:\n  error: 5', /one\.yaml:3: error must be a text$/],
  ['type: pods\nexpect:\n  parked: maybe', /one\.yaml:3: parked must be true or false$/],
  ['type: pods\nexpect:\n  requeueAfter: soon', /one\.yaml:3: .*soon/],
  ['type: pods\nexpect:\n  requeueAfter: 1s\n  actions: [{ pach: {} }]', /one\.yaml:4: .*unknown key "pach"/],
  ['type: pods\nexpect:\n  actions: []\n  requeueAfter: soon', /one\.yaml:4: .*soon/],
])('refuses %j with file, line and reason', async (text, message) => {
  await expect(reading(text)).rejects.toMatchObject({ code: 'argument', message: expect.stringMatching(message) });
});

it('refuses a place that is not there, and one without fixtures', async () => {
  await expect(readFixtures(path.join(folder, 'absent'), undefined)).rejects.toThrow('there is no folder or file');
  await expect(readFixtures(folder, undefined)).rejects.toThrow('has no fixture');
});

it('gives the error of a server the place of the key that it is about, and keeps its hint', async () => {
  const [fixture] = await reading('type: pods\n\ngiven: []\nexpect: { parked: true }');
  const cause = new InformerError('api', 'refused', { hint: 'try' });
  const error = refusedFixture(fixture as never, 'given', cause);
  expect(error).toMatchObject({
    code: 'argument',
    message: `${path.join(folder, 'one.yaml')}:3: refused`,
    hint: 'try',
    cause,
  });
  expect(refusedFixture(fixture as never, 'old', new Error('x'), 'else')).toMatchObject({
    message: expect.stringContaining('one.yaml:1: x'),
    hint: 'else',
  });
});
