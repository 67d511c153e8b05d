import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../../src/cli/args/argv.ts';
import { shapesOf, valuesOf } from '../../../src/cli/args/flag.ts';
import { queryFlags } from '../../../src/cli/args/query-flags.ts';
import { looksSameIn } from '../../../src/cli/query/print-found.ts';
import { queryPlanOf } from '../../../src/cli/query/query-plan.ts';
import { type QueryPlan, readQuery } from '../../../src/cli/query/read-query.ts';
import { seededRandom } from '../../../src/kit/random.ts';
import { keyOf } from '../../../src/model/key.ts';
import type { ReadonlyObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import type { RowRecord } from '../../../src/output/row-changes.ts';
import { arranged, findIn } from '../../../src/query/answer/found.ts';
import { grouped } from '../../../src/query/answer/grouping.ts';
import { sortedRows } from '../../../src/query/answer/groups.ts';
import { matcherOf } from '../../../src/query/answer/matcher.ts';
import { IndexCatalog } from '../../../src/query/index/index-catalog.ts';
import { LiveResult } from '../../../src/query/live/continuous-result.ts';
import { changeHandler, replacementParts } from '../../../src/stream/envelope.ts';
import { Redactor } from '../../../src/stream/redact.ts';
import { disturb } from '../../simulation/disturbances.ts';
import { operate } from '../../simulation/operations.ts';
import { World } from '../../simulation/world.ts';

async function planOf(type: ResourceType, line: readonly string[], clock: World['clock']): Promise<QueryPlan> {
  const { given } = readCommandLine(line, shapesOf(queryFlags), {});
  const flags = valuesOf(queryFlags, given);
  const question = await readQuery(flags, { given, indexes: {}, notice: () => {} });
  const selections = [{ type, names: [], versioned: true as const }];
  const surface = { stdout: { isTerminal: false, columns: undefined }, env: {}, clock };
  return queryPlanOf(question, { selections, namespaces: [''] }, surface);
}

const idOf = ({ key, row, gvr }: Pick<RowRecord, 'key' | 'row' | 'gvr'>) =>
  row ? String(row.value ?? 'count') : `${gvr} ${key}`;

/** What is compared of a row of numbers. */
const cellsOf = (count: unknown, amount: unknown) => `${count} ${amount ?? ''}`;

const lookOf = (object: ReadonlyObject) => object.metadata.resourceVersion;

/** A reader of the printed changes, and nothing else. */
class Reader {
  readonly rows = new Map<string, unknown>();

  read(changes: ReturnType<LiveResult['take']>): void {
    for (const { record } of changes) {
      const id = idOf(record);
      expect(this.rows.has(id), `${record.op}${id}`).toBe(record.op !== '+');
      if (record.op === '-') this.rows.delete(id);
      else
        this.rows.set(
          id,
          record.row
            ? cellsOf(record.row.count, (record.row.sum as { n?: unknown } | undefined)?.n)
            : record.object && lookOf(record.object),
        );
    }
  }
}

/** What a new answer would print from the same cache. */
async function answerOf(plan: QueryPlan, world: World, type: ResourceType): Promise<Map<string, unknown>> {
  const sink = { clock: world.clock, notice: () => {}, write: () => Promise.resolve() };
  const { lister } = world.informer;
  const objects = lister.list().toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const cached = {
    type,
    names: undefined,
    namespaces: [''],
    forbidden: [],
    informer: { ...heldBy(world), lister: listed(objects, lister) },
  };
  const found = findIn(plan, cached, {
    catalog: new IndexCatalog(plan.declared),
    matches: matcherOf(plan, sink),
    sink,
  });
  if (plan.count) return new Map([['count', cellsOf(found.objects.length, undefined)]]);
  if (plan.groupBy) {
    const { rows: all } = await grouped([found], plan, { redactor: new Redactor(), sink });
    const rows = sortedRows(all, plan.groupOrder).slice(0, plan.limit);
    return new Map(rows.map(({ value = '', count, amounts }) => [value, cellsOf(count, amounts[0]?.exact)]));
  }
  const gvr = `${type.gvr.group ? `${type.gvr.group}/` : ''}${type.gvr.version}/${type.gvr.resource}`;
  const shown = await arranged([found], plan, sink);
  return new Map(shown.map(({ object }) => [`${gvr} ${keyOf(object)}`, lookOf(object)]));
}

const heldBy = ({ informer }: World) => ({
  name: informer.name,
  continuity: informer.continuity,
  confirm: () => Promise.resolve([]),
  whenProven: () => Promise.resolve(),
  whenApplied: () => Promise.resolve(),
});

const listed = (objects: readonly ReadonlyObject[], lister: World['informer']['lister']) =>
  ({
    size: objects.length,
    list: () => objects,
    values: () => objects,
    hasIndex: () => false,
    byIndex: () => [],
    indexValues: () => [],
    indexCount: () => 0,
  }) as unknown as typeof lister;

const QUESTIONS = [
  ['-o', 'json'],
  ['-o', 'json', '--filter', 'object.metadata.annotations.node == "n1"'],
  ['-o', 'json', '--index', 'node=.metadata.annotations.node', '--in', 'node=n1,n10', '--limit', '2'],
  ['-o', 'json', '--sort-by=-.metadata.annotations.node', '--limit', '3'],
  ['-o', 'json', '--eq', 'label:app=web', '--sort-by', '.metadata.name'],
  ['-o', 'json', '--group-by', '.metadata.annotations.node'],
  ['-o', 'json', '--group-by', '.metadata.annotations.node', '--limit', '1'],
  [
    '-o',
    'json',
    '--group-by',
    '.metadata.annotations.node',
    '--sum',
    'n=object.metadata.name.size()',
    '--sort-by=-sum',
    '--limit',
    '2',
  ],
  ['--count', '--name', '^o[0-3]$'],
];

describe('a result that is kept up to date', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])(
    'is at each moment what a new answer would be, through random writes, relists and faults (seed %i)',
    async (seed) => {
      const world = await World.create(seed);
      const { gvr, kind, isNamespaced } = world.collection as unknown as {
        gvr: ResourceType['gvr'];
        kind: string;
        isNamespaced: boolean;
      };
      const type = {
        gvr,
        kind,
        namespaced: isNamespaced,
        verbs: ['list', 'watch'],
        shortNames: [],
        categories: [],
        singular: '',
      } as unknown as ResourceType;
      const random = seededRandom(seed + 77);
      const followed = await Promise.all(
        QUESTIONS.map(async (line) => {
          const plan = await planOf(type, line, world.clock);
          const redactor = new Redactor();
          const target = { type, names: undefined, namespaces: [''] };
          const catalog = new IndexCatalog(plan.declared);
          const result = new LiveResult({
            plan,
            targets: [target],
            catalogOf: () => catalog,
            matches: matcherOf(plan, { notice: () => {}, clock: world.clock }, () => world.clock.now()),
            redactor,
            looksSame: looksSameIn(plan, redactor, world.clock),
            isReadable: !plan.format.traits.records,
            onUnsorted: () => {},
          });
          world.informer.addHandler(
            changeHandler(
              (change) => {
                for (const part of replacementParts(change) ?? [change]) result.put(part, target);
              },
              (object) => result.put({ type: 'updated', object, cause: 'relist' }, target),
            ),
          );
          return { plan, result, reader: new Reader() };
        }),
      );
      let compared = 0;
      const compare = async () => {
        for (const { plan, result, reader } of followed) {
          if (random() < 0.3) continue; // a burst is merged
          reader.read(result.take());
          expect(reader.rows, JSON.stringify(plan.flags)).toEqual(await answerOf(plan, world, type));
          compared++;
        }
      };
      try {
        for (let step = 0; step < 60; step++) {
          for (let i = Math.floor(random() * 4); i > 0; i--) await operate(world, random);
          if (random() < 0.2) world.takeSnapshot();
          if (random() < 0.2) disturb(world, random);
          await world.clock.advance(Math.floor(random() ** 3 * 20_000));
          await compare();
        }
      } finally {
        await world.stop();
      }
      expect(compared).toBeGreaterThan(200);
    },
  );
});
