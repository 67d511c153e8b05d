import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../../src/cli/args/argv.ts';
import { shapesOf, valuesOf } from '../../../src/cli/args/flag.ts';
import { queryFlags } from '../../../src/cli/args/query-flags.ts';
import { queryPlanOf } from '../../../src/cli/query/query-plan.ts';
import { readQuery } from '../../../src/cli/query/read-query.ts';
import { Indexer } from '../../../src/informer/store/indexer.ts';
import { createLister } from '../../../src/informer/store/lister.ts';
import { indexByNamespace, NAMESPACE_INDEX } from '../../../src/informer/store/object-index.ts';
import { seededRandom } from '../../../src/kit/random.ts';
import { type TableColumn, withCells } from '../../../src/model/cells.ts';
import { keyOf } from '../../../src/model/key.ts';
import type { ReadonlyObject, UnknownObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { answer } from '../../../src/query/answer/answer.ts';
import { usuallyLookedAt } from '../../../src/query/answer/looked-at.ts';
import { IndexCatalog } from '../../../src/query/index/index-catalog.ts';
import { indexersOf } from '../../../src/query/index/stored-index.ts';
import { viewOf } from '../../../src/serve/hold/cached-view.ts';
import type { ServedCache } from '../../../src/serve/hold/served-cache.ts';
import { Redactor } from '../../../src/stream/redact.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const PODS = {
  gvr: { group: '', version: 'v1', resource: 'pods' },
  kind: 'Pod',
  namespaced: true,
  shortNames: [],
} as unknown as ResourceType;

const COLUMNS = ['Name', 'Ready', 'Status', 'Restarts', 'Age'].map(
  (name): TableColumn => ({ name, type: 'string', format: name === 'Name' ? 'name' : '', priority: 0 }),
);

function pod(i: number, version: number): UnknownObject {
  const n = i + version * 7;
  const phase = n % 5 === 0 ? 'Pending' : 'Running';
  const name = `web-${i}`;
  const object = {
    metadata: {
      name,
      namespace: ['shop', 'bank', 'lab'][i % 3],
      uid: `u${i}`,
      resourceVersion: String(version * 10_000 + i + 1),
      creationTimestamp: `2026-01-0${1 + (i % 9)}T00:00:00Z`,
      ...(i % 4 ? { labels: { app: `a${i % 6}` } } : {}),
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `rs-${i % 8}`, uid: `rs${i % 8}` }],
    },
    spec: { nodeName: `n${n % 11}`, containers: [{ name: 'c', image: `i:${n % 3}`, memory: `${n % 4}Gi` }] },
    status: { phase, note: i % 7 ? n % 13 : undefined, restarts: n % 3 },
    padding: 'x'.repeat(3000),
  };
  const cells = [name, '1/1', phase, n % 6 ? n % 3 : `${n % 3} (5m ago)`, '1d'];
  return withCells(object as UnknownObject, { columns: COLUMNS, cells });
}

/** A cache as a serve holds it, with what was decoded. */
function cacheOf(store: 'objects' | 'compact', indexes: readonly string[]) {
  const catalog = new IndexCatalog();
  const indexers = { [NAMESPACE_INDEX]: indexByNamespace, ...indexersOf(indexes.map((name) => catalog.get(name))) };
  const indexer = new Indexer<UnknownObject>({ store, indexers: indexers as never });
  const informer = { lister: createLister(indexer), name: 'pods', continuity: [], hasSynced: true };
  const target = { type: PODS, namespaces: [''], forbidden: [], informer } as unknown as ServedCache;
  return { indexer, target };
}

/** No server that knows the owners. */
const CLIENT = { mapper: { typeOfKind: async () => undefined, find: async () => undefined } };

type Cache = ReturnType<typeof cacheOf>;

async function asked({ target }: Cache, words: readonly string[], clock: FakeClock): Promise<unknown> {
  const { given } = readCommandLine(words, shapesOf(queryFlags), {});
  const flags = valuesOf(queryFlags, given);
  const question = await readQuery(flags, { given, indexes: {}, notice: () => {} });
  const namespaces = flags['all-namespaces'] ? [''] : ((flags.namespace as string[] | undefined) ?? ['']);
  const selections = [{ type: PODS, names: words.filter((word) => /^web-\d+$/.test(word)), versioned: true as const }];
  const plan = queryPlanOf(question, { selections, namespaces }, { stdout: { isTerminal: false, columns: undefined }, env: {}, clock }); // biome-ignore format: one call
  const part = { names: selections[0]?.names ?? [], namespaces, selector: flags.selector, fieldSelector: flags['field-selector'] }; // biome-ignore format: one record
  const allCached = [viewOf(target, part)];
  const query = await plan;
  const { count, result } = await answer(query, [{ query, allCached, client: CLIENT as never, signal: new AbortController().signal, notice: () => {} }], { clock, notice: () => {}, redactor: new Redactor() }); // biome-ignore format: one call
  if (result.kind === 'objects') return [count, Array.from(result.objects, ({ object }) => textOf(object))];
  if (result.kind === 'count') return result.count;
  const rows = result.rows.map(({ value, count: n, amounts }) => [value, n, amounts.map((amount) => amount?.readable)]);
  return [count, rows, result.remarks];
}

const textOf = (object: ReadonlyObject) =>
  `${keyOf(object)} ${object.metadata.resourceVersion} ${JSON.stringify(object.status)}`;

const QUESTIONS: readonly (readonly string[])[] = [
  ['--count'],
  ['--count', '-n', 'shop'],
  ['--count', '-l', 'app=a1'],
  ['--count', '--field-selector', 'status.phase=Pending,metadata.namespace!=bank'],
  ['--count', '-l', 'app!=a1', '--field-selector', 'spec.nodeName=n3', '-n', 'shop,lab'],
  ['--count', '--where', 'STATUS != "Running" && RESTARTS > 1'],
  ['--count', '--where', 'cells["STATUS"] == "Pending" && NAME.endsWith("5")'],
  ['--where', 'NAMESPACE == "shop" && AGE < duration("24h")', '--limit', '4'],
  ['--count', '--filter', 'object.spec.containers.exists(c, c.image == "i:1")'],
  ['--count', '--filter', 'object.metadata.name.endsWith("7") && object.status.phase == "Running"'],
  ['--count', '--filter', 'object.metadata.labels["app"] == "a2"', '--name', '^web-.*[02468]$'],
  ['--filter', 'object.status.restarts == 2', '--exclude-name', '5', '--limit', '7'],
  ['--values', 'node'],
  ['--values', 'node', '-n', 'bank'],
  ['--values', 'phase', '--where', 'RESTARTS == 0'],
  ['--values', 'label:app', '-l', 'app!=a4'],
  ['--values', 'owner', '-n', 'shop'],
  ['--values', 'image', '--filter', 'object.status.phase == "Pending"'],
  ['--values', 'mine', '--index', 'mine=.spec.containers[*].memory'],
  ['--group-by', '.status.phase'],
  ['--group-by', '.status.note', '--sum', 'mem=.spec.containers[*].memory', '--avg', '.status.restarts', '--sort-by=-sum'],
  ['--group-by', '.metadata.labels.app', '--max', '.metadata.creationTimestamp', '--limit', '3'],
  ['--sum', '.status.note'],
  ['--sort-by', '.metadata.creationTimestamp', '--limit', '9'],
  ['--sort-by=-.status.note', '--limit', '5', '-n', 'shop'],
  ['--sort-by', '.metadata.name'],
  ['--limit', '3'],
  ['--limit', '3', '-n', 'lab,shop'],
  ['--eq', 'node=n3', '--limit', '4'],
  ['--eq', 'node=n3', '--eq', 'phase=Running', '-n', 'bank'],
  ['--in', 'node=n1,n2', '--count'],
  ['web-9', 'web-12', 'web-77777'],
]; // biome-ignore format: one line a question

describe('the answers of a cache that keeps texts', () => {
  it.each([[[]], [['node', 'phase', 'label:app', 'owner', 'image']]])(
    'are those of one that keeps objects, before and after changes; indexes: %j',
    async (indexes: string[]) => {
      const clock = new FakeClock();
      const [plain, compact] = [cacheOf('objects', indexes), cacheOf('compact', indexes)];
      const random = seededRandom(5);
      const objects = Array.from({ length: 400 }, (_, i) => pod(i, 1));
      for (const { indexer } of [plain, compact]) indexer.replace(objects, '1');
      for (let version = 2; version < 6; version++) {
        for (const words of QUESTIONS)
          expect([words, await asked(compact, words, clock)]).toEqual([words, await asked(plain, words, clock)]);
        for (let n = 0; n < 150; n++) {
          const i = Math.floor(random() * 450);
          const isGone = random() < 0.2;
          for (const { indexer } of [plain, compact])
            if (isGone) indexer.deleteKey(keyOf(pod(i, 1)));
            else indexer.update(pod(i, version));
        }
      }
    },
  );

  it('decode only what is shown, once a question has been asked before', async () => {
    const clock = new FakeClock();
    const cache = cacheOf('compact', ['node', 'phase', 'label:app', 'image']);
    cache.indexer.replace(Array.from({ length: 400 }, (_, i) => pod(i, 1)), '1'); // biome-ignore format: short
    const shown = (words: readonly string[]) => Number(words[words.indexOf('--limit') + 1]);
    const questions = QUESTIONS.filter(
      (words) => words.includes('--count') || words.includes('--limit') || words.includes('--values') || words.includes('--group-by'), // biome-ignore format: one condition
    ).filter((words) => !words.includes('owner')); // its values need the owners themselves
    const read = async (words: readonly string[]) => {
      const { coldReads, hotReads } = cache.indexer.memory;
      await asked(cache, words, clock);
      const now = cache.indexer.memory;
      return now.coldReads + now.hotReads - coldReads - hotReads;
    };
    for (const words of questions) {
      await read(words);
      for (let i = 0; i < 40; i++) cache.indexer.update(pod(i, 3)); // what changes is kept up to date
      const isShown = words.includes('--limit') && !words.includes('--group-by');
      expect([words, await read(words)]).toEqual([words, isShown ? Math.min(400, shown(words)) : 0]);
    }
  });

  it.each([
    [['--count', '--filter', 'object.status.phase == "Pending"'], 0],
    [['--group-by', '.status.phase'], 0],
    [['--values', 'node', '-n', 'shop'], 0],
    [['--where', 'STATUS != "Running"', '--count'], 0],
    [['--group-by', '.metadata.labels.app'], 0],
    [['--count', '--filter', 'object.status.restarts == 2'], 400],
  ])('decode nothing for the first question %j about what the cache knows from its list', async (words, reads) => {
    const clock = new FakeClock();
    const cache = cacheOf('compact', []);
    for (const looked of usuallyLookedAt(PODS)) cache.indexer.keep(looked);
    cache.indexer.replace(Array.from({ length: 400 }, (_, i) => pod(i, 1)), '1'); // biome-ignore format: short
    await asked(cache, words, clock);
    const { coldReads, hotReads } = cache.indexer.memory;
    expect(coldReads + hotReads).toBe(reads);
  });

  it.each([
    [['--group-by', '.status.restarts']],
    [['--group-by', '.metadata.uid']],
    [['--sum', '.status.restarts']],
    [['--sort-by', '.status.restarts', '--limit', '3']],
    [['--count', '--filter', 'object.status.restarts == 2']],
  ])('let other code run while %j reads many objects', async (words) => {
    const clock = new FakeClock();
    let pauses = 0;
    const slow = Object.assign(Object.create(clock) as FakeClock, {
      now: () => clock.now(),
      monotonic: () => {
        clock.tick(10);
        return clock.monotonic();
      },
      yield: async () => void pauses++,
    });
    const cache = cacheOf('compact', []);
    cache.indexer.replace(Array.from({ length: 640 }, (_, i) => pod(i, 1)), '1'); // biome-ignore format: short
    await asked(cache, words, slow);
    expect(pauses).toBe(10);
  });
});
