import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Shard } from '../../src/model/shard.ts';
import { ShardSet } from '../../src/model/shard-set.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { Cli, run } from '../support/cli.ts';
import { pod } from '../support/fixture.ts';

const NAMESPACES = ['bank', 'crew', 'dock', 'farm', 'shop', 'yard'];
const PODS = NAMESPACES.flatMap((namespace) =>
  [1, 2, 3, 4, 5].map((i) => pod(`p-${i}`, { namespace, phase: i === 5 ? 'Pending' : 'Running' })),
);
const GVK = { apiVersion: 'v1', kind: 'Pod' };

/** The names that `-o name` prints, in the order of a list. */
const namesIn = (text: string) => text.split('\n').filter(Boolean);
const SHARDS = ['0/4', '1/4', '2/4', '3/4'];

describe.each([true, false])('shards, with a server that divides: %s', (isSharding) => {
  let sandbox: Sandbox;
  let folder: string;
  let env: { KUBECONFIG: string };
  beforeAll(async () => {
    sandbox = await Sandbox.start({ featureGates: { ShardedListAndWatch: isSharding } });
    for (const name of NAMESPACES) sandbox.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }]);
    sandbox.apply(PODS);
    folder = await mkdtemp(path.join(tmpdir(), 'informer-test-'));
    env = { KUBECONFIG: path.join(folder, 'kubeconfig') };
    await writeFile(env.KUBECONFIG, sandbox.kubeconfig(), { mode: 0o600 });
  });
  afterAll(async () => {
    await sandbox.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const inShard = ({ index, of, by }: Shard) => {
    const { selection } = new ShardSet({ of, by, indexes: [index] });
    return sandbox.list(GVK).filter((object) => selection.has(object));
  };
  const count = (index: number, by?: 'uid' | 'namespace') => inShard({ index, of: 4, by }).length;

  it('query: each object is in one of the four parts, which is said, and --explain says who divided', async () => {
    const answers = await Promise.all(
      SHARDS.map((shard) => run(['query', 'pods', '-A', '--shard', shard, '-o', 'name', '--explain'], { env })),
    );
    expect(answers.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const sizes = answers.map(({ stdout }) => namesIn(stdout).length);
    expect(sizes).toEqual([0, 1, 2, 3].map((index) => count(index)));
    expect(sizes.reduce((sum, size) => sum + size)).toBe(PODS.length);
    for (const [i, { stderr }] of answers.entries()) {
      const size = sizes[i] ?? 0;
      expect(stderr).toContain(
        `shard ${i}/4 by uid: ${size === 1 ? '1 pod' : `${size} pods`}; other shards have the rest\n`,
      );
      expect(stderr).toContain(
        isSharding
          ? `shard ${i}/4 by uid: divided by the server, which sent no other objects`
          : `shard ${i}/4 by uid: divided here, the server sent ${PODS.length}, and ${PODS.length - size} of other shards are left out`,
      );
    }
  });

  it('query as a table, with --where and --count, counts its part only; by namespace, namespaces stay whole', async () => {
    const rows = await run(['query', 'pods', '-A', '--shard=1/4', '--shard-by=namespace', '--no-headers'], { env });
    const expected = inShard({ index: 1, of: 4, by: 'namespace' });
    expect(namesIn(rows.stdout).map((line) => line.split(/ +/).slice(0, 2).join('/'))).toEqual(
      expected.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort(),
    );
    const where = ['--where', 'STATUS == "Pending"', '--count'];
    const counts = await Promise.all(
      SHARDS.map((shard) =>
        run(['query', 'pods', '-A', '--shard', shard, '--shard-by', 'namespace', ...where], { env }),
      ),
    );
    const pending = [0, 1, 2, 3].map(
      (index) =>
        inShard({ index, of: 4, by: 'namespace' }).filter(
          ({ status }) => (status as { phase?: string }).phase === 'Pending',
        ).length,
    );
    expect(counts.map(({ stdout }) => Number(stdout))).toEqual(pending);
    expect(pending.reduce((sum, each) => sum + each)).toBe(NAMESPACES.length);
  });

  it('watch --once -o wide shows its part, and -v 4 says once who divides', async () => {
    const answer = await run(['watch', 'pods', '-n', 'bank,shop', '--shard=0/4', '--once', '-o', 'wide', '-v', '4'], {
      env,
    });
    const expected = inShard({ index: 0, of: 4 }).filter(({ metadata }) =>
      ['bank', 'shop'].includes(metadata.namespace ?? ''),
    );
    expect(namesIn(answer.stdout).length).toBe(expected.length === 0 ? 0 : expected.length + 1);
    const lines = answer.stderr.split('\n').filter((line) => line.includes('the objects: '));
    expect(lines).toEqual([
      isSharding
        ? 'INFO the server divides the objects: it sends those of this part only informer=pods'
        : 'INFO the server does not divide the objects: it sends all, and those of other parts are left out here informer=pods',
    ]);
  });

  it('watch: two parts of two see every event between them, SYNCED names the part, and the last line does', async () => {
    await using halves = await Half.start(env);
    await halves.synced();
    for (let i = 0; i < 12; i++) sandbox.apply([pod(`late-${i}`, { namespace: 'yard' })]);
    await halves.until((keys) => keys.filter((key) => key.startsWith('yard/late-')).length === 12);
    for (let i = 0; i < 12; i++) sandbox.delete(GVK, `yard/late-${i}`, { gracePeriodSeconds: 0 });
    const ends = await halves.stop();
    for (const [i, { stderr }] of ends.entries()) expect(stderr).toMatch(new RegExp(`no gaps; shard ${i}/2 by uid\n`));
    const both = ends.flatMap(({ stdout }) =>
      stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    );
    const synced = both.filter(({ type }) => type === 'SYNCED');
    expect(synced.map(({ shard }) => shard)).toEqual([
      { index: 0, of: 2, by: 'uid' },
      { index: 1, of: 2, by: 'uid' },
    ]);
    const added = both.filter(({ type }) => type === 'ADDED').map(({ key }) => key);
    expect(new Set(added).size).toBe(added.length);
    expect(added.length).toBe(PODS.length + 12);
  });

  it.each([
    [['pods', 'p-1', '-n', 'shop', '--shard', '0/2'], 'pods p-1 is asked for by name'],
    [['namespaces', '--shard', '0/2', '--shard-by', 'namespace'], 'namespaces have no namespace'],
    [['pods', '--shard', '2/2'], 'invalid argument "2/2" for "--shard": expected 0/2 to 1/2'],
  ])('query and watch %j are refused, with what is right', async (words, text) => {
    for (const command of ['query', 'watch']) {
      const { code, stdout, stderr } = await run([command, ...words], { env });
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(`error: ${text}`);
      expect(stderr).toContain('hint: ');
    }
  });

  it('an empty part says that it is one', async () => {
    const empty = [...Array(64).keys()].find((index) => inShard({ index, of: 64 }).length === 0);
    const answer = await run(['query', 'pods', '-A', '--shard', `${empty}/64`], { env });
    expect(answer).toMatchObject({ code: 0, stdout: '' });
    expect(answer.stderr).toContain(`No resources found (shard ${empty}/64 by uid)`);
  });

  it('query --since-last remembers each part by itself', async () => {
    const line = (shard: string) => ['query', 'pods', '-A', '--since-last', '--shard', shard, '--cache-dir', folder];
    for (const shard of ['0/2', '1/2']) expect((await run(line(shard), { env })).stderr).toContain('stored;');
    const again = await run(line('0/2'), { env });
    expect([again.stdout, again.stderr]).toEqual(['', expect.stringContaining('pods: nothing changed')]);
  });
});

/** Two watches, each of one half. */
class Half {
  readonly #halves: readonly Cli[];

  private constructor(halves: readonly Cli[]) {
    this.#halves = halves;
  }

  static async start(env: { KUBECONFIG: string }): Promise<Half> {
    const words = ['watch', 'pods', '-A', '-o', 'json', '--markers', '--shard'];
    return new Half(['0/2', '1/2'].map((shard) => new Cli([...words, shard], { env })));
  }

  async synced(): Promise<void> {
    await Promise.all(this.#halves.map((cli) => cli.until(({ stdout }) => stdout.includes('"SYNCED"'), 'SYNCED')));
  }

  async until(condition: (keys: readonly string[]) => boolean): Promise<void> {
    const keys = () => this.#halves.flatMap((cli) => cli.events<{ key?: string }>().flatMap(({ key }) => key ?? []));
    await Promise.race(this.#halves.map((cli) => cli.until(() => condition(keys()), 'the events')));
  }

  stop() {
    for (const cli of this.#halves) cli.kill('SIGINT');
    return Promise.all(this.#halves.map((cli) => cli.ended()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#halves.map((cli) => cli[Symbol.asyncDispose]()));
  }
}
