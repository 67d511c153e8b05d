import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openRecordingOrArchive } from '../../src/record/recording-or-archive.ts';
import { type ArchivedAnswer, writeArchive } from '../support/k8shark-archive.ts';
import { useFolder } from '../support/recording.ts';

const folder = useFolder();
const PATH = '/api/v1/namespaces/shop/configmaps';
const SECRETS = '/api/v1/namespaces/shop/secrets';
const at = (second: number) => new Date(Date.UTC(2026, 3, 9, 10, 0, second)).toISOString();
const UNTIL = at(60);

const configMap = (name: string, version: number, color: string) => ({
  metadata: { name, namespace: 'shop', uid: name, resourceVersion: String(version) },
  data: { color },
});
const list = (second: number, version: number, ...items: object[]): ArchivedAnswer => ({
  path: PATH,
  time: at(second),
  body: { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: String(version) }, items },
});
const event = (second: number, kind: ArchivedAnswer['event'], object: object): ArchivedAnswer => ({
  path: PATH,
  time: at(second),
  event: kind as 'ADDED',
  body: object,
});

const NIGHT = [
  list(0, 10, configMap('a', 5, 'blue'), configMap('b', 6, 'blue')),
  event(1, 'MODIFIED', configMap('a', 11, 'red')),
  event(2, 'MODIFIED', configMap('a', 5, 'blue')), // of before the list
  list(5, 12, configMap('a', 11, 'red'), configMap('b', 6, 'blue')), // nothing new
  event(7, 'ADDED', configMap('c', 14, 'red')),
  event(8, 'DELETED', configMap('c', 15, 'red')),
  list(10, 20, configMap('a', 18, 'green')), // what its watch did not see
  list(15, 21, configMap('a', 18, 'green')),
];

/** The revisions and gaps of an archive, a line each. */
async function told(file: string): Promise<{ revisions: string[]; gaps: string[] }> {
  using recording = await openRecordingOrArchive(file);
  const ids = recording.sources.map(({ id }) => id);
  const second = (ms: number | undefined) => (ms === undefined ? 'open' : (ms - Date.parse(at(0))) / 1000);
  return {
    revisions: [...recording.revisionsBetween(ids, 0, Number.MAX_SAFE_INTEGER)].map(
      ({ event, cause, key, at: ms, version, paths }) => `${second(ms)} ${event} ${cause} ${key}@${version} ${paths.join()}`.trimEnd(), // biome-ignore format: one line
    ),
    gaps: recording
      .gaps(ids)
      .map(({ reason, since, until, added, changed, deleted }) => `${second(since)}-${second(until)} ${reason}: ${added} ${changed} ${deleted}`), // biome-ignore format: one line
  };
}

it.each([
  { version: 1, isDeflated: false },
  { version: 2, isDeflated: true },
])('an archive of k8shark, %j, is a recording that marks the times between its lists', async (options) => {
  const file = folder.file('night.kshrk');
  writeArchive(file, NIGHT, { ...options, until: UNTIL });
  expect(await told(file)).toEqual({
    revisions: [
      '0 ADDED initial shop/a@5',
      '0 ADDED initial shop/b@6',
      '1 MODIFIED watch shop/a@11 .data.color',
      '7 ADDED watch shop/c@14',
      '8 DELETED watch shop/c@15',
      '10 DELETED relist shop/b@6',
      '10 MODIFIED relist shop/a@18 .data.color',
    ],
    gaps: ['0-10 not known to be watched: 0 1 1', '10-15 not known to be watched: 0 0 0'],
  });
  using recording = await openRecordingOrArchive(file);
  expect(recording.sources).toMatchObject([{ namespace: 'shop', type: { kind: 'ConfigMap', namespaced: true } }]);
  expect(recording.coverage(1, Date.parse(at(15)))).toEqual({ kind: 'seen' });
  expect(recording.coverage(1, Date.parse(at(16)))).toMatchObject({ kind: 'outside', last: Date.parse(at(15)) });
});

// made by kshrk of 2026-11 on a sandbox, without its entries of OpenAPI and of the columns of other types
it('reads an archive that k8shark made', async () => {
  using recording = await openRecordingOrArchive(path.join(import.meta.dirname, 'k8shark-made.kshrk'));
  const [source] = recording.sources;
  expect(source?.type).toMatchObject({ kind: 'ConfigMap', shortNames: ['cm'], subresources: [], namespaced: true });
  const revisions = [...recording.revisionsBetween([1], 0, Number.MAX_SAFE_INTEGER)];
  expect(revisions.map(({ event, cause, key, paths }) => `${event} ${cause} ${key} ${paths.join()}`.trimEnd())).toEqual(
    [
      'ADDED initial shop/a',
      'ADDED initial shop/b',
      'MODIFIED watch shop/a .data.color',
      'ADDED watch shop/c',
      'MODIFIED watch shop/a .data.color',
      'MODIFIED watch shop/b .data.color',
      'DELETED watch shop/c',
    ],
  );
  expect(recording.gaps([1])).toMatchObject([{ reason: 'not known to be watched', added: 0, changed: 0, deleted: 0 }]);
});

it('the types are those of its discovery, lists that failed say nothing, and Secrets become marks', async () => {
  const file = folder.file('night.kshrk');
  const secret = {
    metadata: { name: 's', namespace: 'shop', uid: 's', resourceVersion: '4' },
    data: { p: 'aHVudGVyMg==' },
  };
  const answer = (path: string, body: object): ArchivedAnswer => ({ path, time: at(0), body });
  writeArchive(
    file,
    [
      answer('/api', { kind: 'APIVersions', versions: ['v1'] }),
      answer('/api/v1', { kind: 'APIResourceList', resources: [{ name: 'secrets', singularName: 'secret', namespaced: true, kind: 'Secret', verbs: ['list', 'watch'], shortNames: ['sec'] }] }), // biome-ignore format: one line
      { path: SECRETS, time: at(1), body: { kind: 'SecretList', metadata: { resourceVersion: '9' }, items: [secret] } },
      { path: SECRETS, time: at(2), body: { kind: 'Status', message: 'no' }, code: 403 },
      answer(`${SECRETS}?as=Table`, { kind: 'Table', rows: [] }),
    ],
    { until: UNTIL },
  );
  using recording = await openRecordingOrArchive(file);
  expect(recording.sources.map(({ type }) => [type.singular, type.shortNames])).toEqual([['secret', ['sec']]]);
  const states = [...recording.statesAt(1, 99)].map(({ state }) => JSON.stringify(state.object)).join();
  expect(states).toMatch(/"p":"hmac:/);
  expect(readFileSync(recording.file, 'latin1') + states).not.toMatch(/aHVudGVyMg|hunter2/);
});

it('what cannot be read is refused by name', async () => {
  const file = folder.file('x.kshrk');
  writeArchive(file, NIGHT, { version: 3, until: UNTIL });
  await expect(openRecordingOrArchive(file)).rejects.toThrow('the archive has format 3, and 2 is known here');
  writeArchive(file, NIGHT, { until: UNTIL });
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.subarray(0, bytes.length - 40));
  await expect(openRecordingOrArchive(file)).rejects.toThrow(
    /x\.kshrk: it is no archive of k8shark that can be read: /,
  );
  bytes.fill(7, 60, 90);
  writeFileSync(file, bytes);
  await expect(openRecordingOrArchive(file)).rejects.toThrow(
    /x\.kshrk: it is no archive of k8shark that can be read: /,
  );
  writeFileSync(file, 'age-encryption.org/v1\n…');
  await expect(openRecordingOrArchive(file)).rejects.toThrow('it is encrypted');
  await expect(openRecordingOrArchive(folder.file('none'))).rejects.toThrow('there is no such file');
});
