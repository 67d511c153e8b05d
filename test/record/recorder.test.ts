import { readFileSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { ReadonlyObject, UnknownObject } from '../../src/model/object.ts';
import { Recording } from '../../src/record/recording.ts';
import { RecordingFault } from '../../src/record/recording-fault.ts';
import { RecordingWriter } from '../../src/record/recording-writer.ts';
import { eventually } from '../../src/testing/eventually.ts';
import type { FakeClock } from '../../src/testing/fake-clock.ts';
import { type RecordedServer, recordedServer, recording, useFolder } from '../support/recording.ts';

const folder = useFolder();

const configMap = (name: string, data: Record<string, string> = {}): UnknownObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data,
});

/** What a recording says of a type, one line each. */
function told(file: string): string[] {
  using recorded = Recording.open(file);
  const ids = recorded.sources.map(({ id }) => id);
  return [...recorded.revisionsBetween(ids, 0, Number.MAX_SAFE_INTEGER)]
    .filter(({ key }) => !key.includes('kube-root-ca'))
    .map(({ event, cause, key, paths }) => `${event} ${cause} ${key} ${paths.join(' ')}`.trimEnd());
}

const gapsIn = (file: string) => {
  using recorded = Recording.open(file);
  return recorded.gaps(recorded.sources.map(({ id }) => id));
};

/** The objects of the last moment that a recording knows. */
function lastStates(file: string): Record<string, unknown> {
  using recorded = Recording.open(file);
  const last = recorded.revisionAt(Number.MAX_SAFE_INTEGER);
  return Object.fromEntries([...recorded.statesAt(1, last)].map(({ key, state }) => [key, state.object]));
}

const objectsOf = ({ sandbox }: RecordedServer) =>
  Object.fromEntries(
    sandbox
      .list({ group: '', version: 'v1', resource: 'configmaps' })
      .map((object) => [`${object.metadata.namespace}/${object.metadata.name}`, object]),
  );

describe('a recording', () => {
  it('is the same where managedFields are kept as text beside the objects, in each kind of cache', async () => {
    const server = await recordedServer();
    const { clock, client } = server;
    const api = client.resource<UnknownObject>({ group: '', version: 'v1', resource: 'configmaps' }, { namespace: 'default' }); // biome-ignore format: one line
    await api.create(configMap('old', { a: '1' }), { fieldManager: 'first' });
    const runs = await Promise.all(
      (
        [
          ['trees', false, 'objects'],
          ['texts', true, 'objects'],
          ['compact', true, 'compact'],
        ] as const
      ).map(async ([name, managedFieldsAsText, store]) => {
        // biome-ignore format: one line
        const file = folder.file(name);
        return { file, run: await recording(server, ['v1/configmaps', 'v1/secrets'], { file, key: Buffer.alloc(32), managedFieldsAsText, store }) }; // biome-ignore format: one line
      }),
    );
    await api.create(configMap('new', { a: '1' }), { fieldManager: 'first' });
    const secret = client.resource<UnknownObject>({ group: '', version: 'v1', resource: 'secrets' }, { namespace: 'default' }); // biome-ignore format: one line
    await secret.create({ ...configMap('s', { a: 'MQ==' }), kind: 'Secret' });
    for (const [i, fieldManager] of ['first', 'second', 'second', 'third'].entries()) {
      await clock.advance(1_000);
      await api.patch('old', { data: { a: String(i + 2), [fieldManager]: 'x' } }, { type: 'merge', fieldManager });
      await api.patch('new', { metadata: { labels: { a: String(i) } } }, { type: 'merge', fieldManager });
      await secret.patch('s', { metadata: { labels: { a: String(i) } } }, { type: 'merge', fieldManager });
    }
    await api.patch('new', { metadata: { labels: { b: '1' } } }, { type: 'merge', fieldManager: 'third' });
    await api.delete('new');
    await clock.advance(1_000);
    const read = ({ file }: { file: string }) => {
      using recorded = Recording.open(file);
      // the order of changes of different types is not that of the server
      const revisions = [1, 2].flatMap((source) => [
        ...recorded.revisionsBetween([source], 0, Number.MAX_SAFE_INTEGER),
      ]);
      const moments = revisions.map(({ id, source }) => [...recorded.statesAt(source, id)].map(({ key, state }) => [key, state])); // biome-ignore format: one line
      return { changes: revisions.map(({ key, event, cause, who, written, paths }) => ({ key, event, cause, who, written, paths })), moments }; // biome-ignore format: one line
    };
    for (const { run } of runs) await run.end();
    const [trees, ...others] = runs.map(read);
    expect(trees?.changes.map(({ who }) => who)).toEqual(expect.arrayContaining(['first', 'second', 'third']));
    expect(trees?.moments.flat().flatMap(([, state]) => (state as unknown as { object: ReadonlyObject }).object.metadata.managedFields ?? []).length).toBeGreaterThan(3); // biome-ignore format: one line
    for (const other of others) expect(other).toEqual(trees);
  });

  it('has every change in its order, and rebuilds the state of every moment', async () => {
    const server = await recordedServer();
    const { clock, sandbox } = server;
    sandbox.apply(configMap('old', { a: '1' }));
    const file = folder.file('r.db');
    const run = await recording(server, ['v1/configmaps'], { file });
    sandbox.apply(configMap('new', { a: '1' }));
    await clock.advance(1_000);
    const moment = clock.now() - 1;
    sandbox.apply(configMap('new', { a: '2' }));
    sandbox.delete({ group: '', version: 'v1', resource: 'configmaps' }, 'default/old');
    await clock.advance(1_000);
    await run.end();
    expect(told(file)).toEqual([
      'ADDED initial default/old',
      'ADDED watch default/new',
      'MODIFIED watch default/new .data.a',
      'DELETED watch default/old',
    ]);
    expect(lastStates(file)).toEqual(objectsOf(server));
    const plain = new DatabaseSync(file, { readOnly: true });
    expect(plain.prepare('SELECT DISTINCT typeof(version) AS type FROM revision').all()).toEqual([{ type: 'integer' }]);
    plain.close();
    using recorded = Recording.open(file);
    const then = [...recorded.statesAt(1, recorded.revisionAt(moment))].map(({ state: { object } }) => object.data);
    expect(then).toContainEqual({ a: '1' });
    expect(recorded.coverage(1, moment)).toEqual({ kind: 'seen' });
    expect(recorded.coverage(1, moment - 60_000).kind).toBe('outside');
    expect(recorded.runs.map(({ isEnded }) => isEnded)).toEqual([true]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('goes on where it ended, and marks what it did not see between, with what changed', async () => {
    const server = await recordedServer();
    const { clock, sandbox } = server;
    for (const name of ['a', 'b', 'c']) sandbox.apply(configMap(name));
    const file = folder.file('r.db');
    await (await recording(server, ['v1/configmaps'], { file })).end();
    sandbox.delete({ group: '', version: 'v1', resource: 'configmaps' }, 'default/a');
    sandbox.apply(configMap('b', { x: '1' }));
    sandbox.apply(configMap('d'));
    await clock.advance(60_000);
    await (await recording(server, ['v1/configmaps'], { file })).end();
    expect(told(file).slice(3).sort()).toEqual([
      'ADDED initial default/d',
      'DELETED relist default/a',
      'MODIFIED initial default/b',
    ]);
    expect(gapsIn(file)).toMatchObject([{ reason: 'stopped', added: 1, changed: 1, deleted: 1 }]);
    expect(lastStates(file)).toEqual(objectsOf(server));
  });

  it('marks a gap of the watch, and says what the new list showed of it', async () => {
    const server = await recordedServer({ historySize: 2 });
    const { clock, sandbox } = server;
    const file = folder.file('r.db');
    const run = await recording(server, ['v1/configmaps'], { file });
    await sandbox.restart({ keepHistory: false, downMs: 0 });
    for (const name of ['a', 'b', 'c', 'd']) sandbox.apply(configMap(name));
    await clock.advance(120_000);
    await run.end();
    expect(gapsIn(file)).toMatchObject([{ reason: 'gone', added: 4, changed: 0, deleted: 0 }]);
    using recorded = Recording.open(file);
    const [gap] = recorded.gaps([1]);
    expect(recorded.coverage(1, (gap?.since ?? 0) + 1)).toMatchObject({ kind: 'gap', gap: { reason: 'gone' } });
    expect(lastStates(file)).toEqual(objectsOf(server));
  });

  it('has no value of a Secret, in no byte, and marks that differ between runs without a key', async () => {
    const server = await recordedServer();
    const { clock, sandbox } = server;
    const secret = (value: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', namespace: 'default', annotations: { copy: value } },
      type: 'Opaque',
      data: { password: Buffer.from(value).toString('base64') },
    });
    const values = ['hunter2-first-value', 'hunter2-second-value'];
    const files = ['1', '2', '3', '4'].map((name) => folder.file(name));
    const key = new Uint8Array(32).fill(7);
    for (const [i, file] of files.entries()) {
      sandbox.apply(secret(values[0] as string));
      const run = await recording(server, ['v1/secrets'], { file, ...(i > 1 ? { key } : {}) });
      sandbox.apply(secret(values[1] as string));
      await clock.advance(11_000); // the tables of newest states are written too
      sandbox.apply(secret(values[0] as string));
      await clock.advance(1_000);
      const beside = [file, `${file}-wal`, `${file}-shm`, `${file}-lock`]; // while it is written
      const during = beside.map((each) => readFileSync(each, 'latin1'));
      expect(during[1]?.length).toBeGreaterThan(10_000);
      await run.end();
      const bytes = readFileSync(file).toString('latin1') + textsOf(file) + during.join('');
      for (const value of values)
        for (const text of [value, Buffer.from(value).toString('base64')]) expect(bytes).not.toContain(text);
    }
    const marks = files.map((file) => (lastStates(file)['default/s'] as { data: { password: string } }).data.password);
    expect(marks[0]).toMatch(/^hmac:/);
    expect(marks[0]).not.toBe(marks[1]);
    expect(marks[2]).toBe(marks[3]);
  });

  it('is refused to a second process, with the name of the first, and free again after it', async () => {
    const server = await recordedServer();
    const file = folder.file('r.db');
    const run = await recording(server, ['v1/configmaps'], { file });
    expect(() => RecordingWriter.open(file, { clock: server.clock, command: 'serve' })).toThrow(
      `another process records into it: watch, pid ${process.pid}`,
    );
    await run.end();
    RecordingWriter.open(file, { clock: server.clock, command: 'serve' }).close('ended');
  });

  it.each([
    ['a newer version made', 'newer', 'PRAGMA user_version = 99'],
    ['another program made', 'foreign', 'PRAGMA application_id = 1'],
  ])('that %s is refused by name', async (_, kind, sql) => {
    const file = folder.file('r.db');
    const { clock } = await recordedServer();
    RecordingWriter.open(file, { clock, command: 'watch' }).close('ended');
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
    for (const open of [() => Recording.open(file), () => RecordingWriter.open(file, { clock, command: 'watch' })]) {
      expect(open).toThrow(RecordingFault);
      expect(open).toThrow(expect.objectContaining({ kind }));
    }
  });

  it('survives a full disk: it says so, goes on when there is room, and marks the time between', async () => {
    const server = await recordedServer();
    const { clock, sandbox } = server;
    const file = folder.file('r.db');
    const run = await recording(server, ['v1/configmaps'], { file, mostBytes: 128 * 1024 });
    for (let i = 0; i < 40; i++) {
      sandbox.apply(configMap(`c${i}`, { noise: noiseOf(i) }));
      await clock.advance(600);
    }
    expect(run.notices.join('\n')).toContain('nothing is recorded for now');
    for (let i = 0; i < 36; i++) sandbox.delete({ group: '', version: 'v1', resource: 'configmaps' }, `default/c${i}`);
    await eventually(
      async () => {
        await clock.advance(11_000);
        expect(run.notices.at(-1)).toContain('recording again');
        return true;
      },
      { timeoutMs: 20_000 },
    );
    await run.end();
    expect(gapsIn(file).map(({ reason }) => reason)).toContain('not written');
    expect(lastStates(file)).toEqual(objectsOf(server));
  });

  it('that ends while the disk is full has no end, so that its readers learn how far it goes', async () => {
    const server = await recordedServer();
    const { clock, sandbox } = server;
    const file = folder.file('r.db');
    const run = await recording(server, ['v1/configmaps'], { file, mostBytes: 128 * 1024 });
    for (let i = 0; i < 60 && run.notices.length === 0; i++) {
      sandbox.apply(configMap(`c${i}`, { noise: noiseOf(i) }));
      await clock.advance(600);
    }
    const fullAt = clock.now();
    await clock.advance(3_000);
    await run.end();
    expect(run.notices.at(-1)).toMatch(/^the end of the recording is missing: .*no room/);
    using recorded = Recording.open(file);
    const [only] = recorded.runs;
    expect(only?.isEnded).toBe(false);
    expect(only?.until).toBeLessThanOrEqual(fullAt);
  });

  it('goes on at the pace of the machine while the clock is set back, also over a gap, and again in its next run', async () => {
    const server = await recordedServer({ historySize: 2 });
    const { clock, sandbox } = server;
    const file = folder.file('r.db');
    let ahead = 3_600_000;
    const jumping = {
      now: () => clock.now() + ahead,
      monotonic: () => clock.monotonic(),
      sleep: clock.sleep.bind(clock),
      after: clock.after.bind(clock),
      yield: () => clock.yield(),
      advance: (ms: number) => clock.advance(ms),
    } as unknown as FakeClock;
    const began = clock.now();
    const run = await recording({ ...server, clock: jumping }, ['v1/configmaps'], { file });
    ahead = 0;
    sandbox.apply(configMap('a', { i: '1' }));
    await clock.advance(20_000);
    await sandbox.restart({ keepHistory: false, downMs: 0 });
    for (const name of ['b', 'c', 'd', 'e']) sandbox.apply(configMap(name));
    await clock.advance(120_000);
    sandbox.apply(configMap('a', { i: '2' }));
    await clock.advance(30_000);
    await run.end();
    const again = await recording(server, ['v1/configmaps'], { file });
    await clock.advance(90_000);
    await again.end();
    using recorded = Recording.open(file);
    const times = [...recorded.revisionsBetween([1], 0, Number.MAX_SAFE_INTEGER)].filter(({ key }) => key === 'default/a').map(({ at }) => at - began - 3_600_000); // biome-ignore format: one line
    expect(times).toEqual([expect.closeTo(1_000, -3), expect.closeTo(141_000, -4)]);
    const stretches = recorded.stretches(1);
    expect(stretches.length).toBe(3);
    for (const [i, { since, until }] of stretches.entries()) {
      expect(until).toBeGreaterThan(since);
      expect(since).toBeGreaterThan(stretches[i - 1]?.until ?? 0);
    }
    expect(recorded.runs[1]?.began).toBeGreaterThanOrEqual(recorded.runs[0]?.until ?? 0);
  });

  it('removes what is older than it may be, and still knows every later moment', async () => {
    const server = await recordedServer();
    const { clock, sandbox } = server;
    const file = folder.file('r.db');
    sandbox.apply(configMap('still', { a: 'b' }));
    const run = await recording(server, ['v1/configmaps'], { file, keepMs: 600_000 });
    for (let i = 0; i < 30; i++) {
      sandbox.apply(configMap('busy', { i: String(i) }));
      await clock.advance(60_000);
    }
    await run.end();
    using recorded = Recording.open(file);
    const from = clock.now() - 600_000;
    expect(recorded.coverage(1, from + 60_000)).toEqual({ kind: 'seen' });
    expect(recorded.coverage(1, from - 300_000).kind).toBe('outside');
    expect([...recorded.statesAt(1, recorded.revisionAt(from + 60_000))].map(({ key }) => key)).toContain(
      'default/still',
    );
    expect(told(file).length).toBeLessThan(18);
    expect(lastStates(file)).toEqual(objectsOf(server));
  });
});

/** Text that does not get shorter. */
const noiseOf = (seed: number) =>
  Array.from({ length: 400 }, (_, i) =>
    Math.abs(Math.sin(seed * 1000 + i))
      .toString(36)
      .slice(2),
  ).join('');

/** All texts of a recording, decompressed. */
function textsOf(file: string): string {
  using recorded = Recording.open(file);
  const ids = recorded.sources.map(({ id }) => id);
  return [...recorded.revisionsBetween(ids, 0, Number.MAX_SAFE_INTEGER)]
    .map((revision) => JSON.stringify(recorded.stateAfter(revision.object, revision.id)))
    .join('\n');
}
