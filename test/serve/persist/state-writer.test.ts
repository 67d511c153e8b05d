import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { yieldToEventLoop } from '../../../src/kit/clock.ts';
import { type Cells, withCells } from '../../../src/model/cells.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { type RowChanges, StateFile } from '../../../src/serve/persist/state-file.ts';
import { columnsTextOf, objectsOfRows, StateWriter } from '../../../src/serve/persist/state-writer.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const object = (name: string, version = '1') =>
  ({ metadata: { name, uid: `u-${name}`, resourceVersion: version } }) as UnknownObject;
const all = (count: number) =>
  Array.from({ length: count }, (_, i) => [`p${i}`, object(`p${i}`)] as [string, UnknownObject | undefined]);

let states: StateFile;
beforeEach(() => {
  const folder = mkdtempSync(path.join(tmpdir(), 'writer-'));
  states = StateFile.open(path.join(folder, 'cluster.db'));
  return () => {
    states.close();
    rmSync(folder, { recursive: true, force: true });
  };
});

/** A writer to a file, which stops before the write that `fails` picks. */
function writer(fails: (write: number) => boolean = () => false, columnsText?: string) {
  const clock = new FakeClock();
  const faults: unknown[] = [];
  const writes: RowChanges[] = [];
  const made = new StateWriter({
    scope: 'pods',
    columnsText,
    clock,
    onFault: (error) => faults.push(error),
    target: {
      async write(scope, changes) {
        if (fails(writes.length)) throw new Error('no room');
        writes.push(changes);
        states.write(scope, changes);
      },
    },
  });
  const stored = async () => {
    await clock.advance(1_000);
    await made.idle();
    return states.read('pods');
  };
  return { made, clock, stored, faults, writes };
}

describe('the writer of states', () => {
  it('gives way to other work once it has worked for some time, and not before', async () => {
    let yields = 0;
    const { made, clock, stored } = writer();
    const clockYield = clock.yield.bind(clock);
    clock.yield = () => {
      yields++;
      return clockYield();
    };
    made.take({ isWhole: true, objects: all(50), resourceVersion: '10' });
    expect((await stored())?.rows).toHaveLength(50);
    expect(yields).toBe(0);
    const toJSON = () => {
      clock.tick(1);
      return {};
    };
    const slow = all(50).map(([key, value]) => [key, { metadata: {}, ...value, toJSON }]);
    made.take({ isWhole: true, objects: slow as never, resourceVersion: '11' });
    expect((await stored())?.rows).toHaveLength(50);
    expect(yields).toBeGreaterThan(1);
    expect(yields).toBeLessThan(50);
  });

  it('is idle when everything that it took is stored, and at once if it took nothing', async () => {
    const { made, clock, writes } = writer();
    await made.idle();
    made.take({ isWhole: true, objects: all(3), resourceVersion: '10' });
    const idle = made.idle().then(() => writes.map(({ resourceVersion }) => resourceVersion));
    await clock.advance(1_000);
    expect(await idle).toContain('10');
    expect(states.read('pods')?.rows).toHaveLength(3);
  });

  it('stores a state of many transactions whole, and what follows', async () => {
    const { made, stored, writes } = writer();
    made.take({ isWhole: true, objects: all(450), resourceVersion: '10' });
    expect((await stored())?.rows).toHaveLength(450);
    expect(writes.map(({ isWhole, resourceVersion }) => [isWhole, resourceVersion])).toEqual([
      [true, ''],
      [false, ''],
      [false, '10'],
    ]);
    made.take({ isWhole: false, objects: [['p0', undefined]], resourceVersion: '11' });
    expect(await stored()).toMatchObject({ resourceVersion: '11', rows: { length: 449 } });
  });

  it.each([1, 2])('leaves no state that counts as whole when it ends after %i of 3 transactions', async (done) => {
    const { made, stored, faults } = writer((write) => write === done);
    made.take({ isWhole: true, objects: all(450), resourceVersion: '10' });
    expect(await stored()).toBeUndefined();
    expect(faults).toHaveLength(1);
    made.take({ isWhole: false, objects: [['p0', object('p0', '12')]], resourceVersion: '12' });
    expect(await stored()).toBeUndefined();
  });

  it('writes nothing any more once it failed, also no whole state, and says it once', async () => {
    const { made, stored, writes, faults } = writer((write) => write === 0);
    for (const resourceVersion of ['10', '11', '12']) {
      made.take({ isWhole: true, objects: all(3), resourceVersion });
      expect(await stored()).toBeUndefined();
    }
    expect([writes.length, faults.length]).toEqual([0, 1]);
  });

  it('does not take an earlier whole state for the present one when it ends in the middle of many changes', async () => {
    const { made, stored } = writer((write) => write === 2);
    made.take({ isWhole: true, objects: all(3), resourceVersion: '10' });
    expect(await stored()).toMatchObject({ resourceVersion: '10' });
    made.take({ isWhole: false, objects: all(450), resourceVersion: '20' });
    expect(await stored()).toBeUndefined();
  });

  it('leaves nothing of the state before a whole one, also of changes that wait', async () => {
    const { made, stored } = writer();
    made.take({ isWhole: true, objects: all(5), resourceVersion: '10' });
    await stored();
    made.take({ isWhole: false, objects: [['late', object('late')]], resourceVersion: '11' });
    made.take({ isWhole: true, objects: [['only', object('only')]], resourceVersion: '20' });
    const found = await stored();
    expect(found?.rows.map(({ key }) => key)).toEqual(['only']);
  });

  it('stores no state whose rows have different columns', async () => {
    const { made, stored } = writer();
    const row = (name: string, column: string) => {
      const table: Cells = { columns: [{ name: column, type: 'string', format: '', priority: 0 }], cells: [name] };
      return [name, withCells(object(name), table)] as [string, UnknownObject];
    };
    made.take({ isWhole: true, objects: [row('a', 'Name'), row('b', 'Other')], resourceVersion: '10' });
    expect(await stored()).toBeUndefined();
    made.take({ isWhole: true, objects: [row('a', 'Other'), row('b', 'Other')], resourceVersion: '11' });
    expect(await stored()).toMatchObject({ resourceVersion: '11' });
    made.take({
      isWhole: true,
      objects: [row('a', 'Name'), row('b', 'Other'), row('c', 'Name')],
      resourceVersion: '12',
    });
    expect(await stored()).toBeUndefined();
  });
});

it('a scope that was not written for a month leaves no object on disk', () => {
  const day = 24 * 3600 * 1000;
  const write = (scope: string, at: number) =>
    states.write(scope, {
      isWhole: true,
      put: [{ key: 'a', uid: 'u', version: '1', text: `{"of":"${scope}"}` }],
      gone: [],
      resourceVersion: '1',
      at,
    });
  write('old', 0);
  write('new', 31 * day);
  states.removeUnused(31 * day);
  expect(states.read('old')).toBeUndefined();
  expect(states.read('new')?.rows).toHaveLength(1);
  states.close();
  using database = new DatabaseSync(states.file);
  expect(database.prepare('SELECT text FROM object').all()).toEqual([{ text: '{"of":"new"}' }]);
});

it('the columns of stored rows are those that were stored with them; rows without cells have none', async () => {
  const columns: Cells['columns'] = [{ name: 'Name', type: 'string', format: '', priority: 0, description: '' }];
  for (const cells of [{ columns, cells: ['p0'] }, undefined]) {
    const { made, stored } = writer();
    const plain = object('p0');
    made.take({ isWhole: true, objects: [['p0', cells ? withCells(plain, cells) : plain]], resourceVersion: '10' });
    const rows = await stored();
    expect(rows && columnsTextOf(rows)).toEqual(cells && JSON.stringify(columns));
  }
});

it('objects are stored whole', async () => {
  const { made, stored } = writer();
  const map = { ...object('a'), kind: 'ConfigMap', data: { k: 'v' } } as UnknownObject;
  made.take({ isWhole: true, objects: [['a', map]], resourceVersion: '10' });
  const rows = await stored();
  expect(rows && (await objectsOfRows(rows, new FakeClock()))).toEqual([map]);
});

it('a new whole state has its columns again, also where they are the very same', async () => {
  const columns: Cells['columns'] = [{ name: 'Name', type: 'string', format: '', priority: 0, description: '' }];
  const { made, stored } = writer();
  for (const resourceVersion of ['10', '11']) {
    const objects = [['a', withCells(object('a'), { columns, cells: ['a'] })]] as [string, UnknownObject][];
    made.take({ isWhole: true, objects, resourceVersion });
    const rows = await stored();
    expect([rows?.resourceVersion, rows && columnsTextOf(rows)]).toEqual([resourceVersion, JSON.stringify(columns)]);
  }
});

describe('the parts in which a writer stores', () => {
  it.each([
    [199, [['10', 199]]],
    [
      200,
      [
        ['', 200],
        ['10', 0],
      ],
    ],
    [
      201,
      [
        ['', 200],
        ['10', 1],
      ],
    ],
  ])('%i rows are the transactions %j', async (count, parts) => {
    for (const of of [all(count), all(count).map(([key]) => [key, undefined] as [string, undefined])]) {
      const { made, stored, writes } = writer();
      made.take({ isWhole: true, objects: of, resourceVersion: '10' });
      await stored();
      expect(writes.map(({ resourceVersion, put, gone }) => [resourceVersion, [...put, ...gone].length])).toEqual(
        parts,
      );
      expect(writes.map(({ isWhole }) => isWhole)).toEqual(parts.map((_, i) => i === 0));
    }
  });

  it('have the latest state of each key, after 200 ms, and its time', async () => {
    const { made, clock, writes } = writer();
    const at = clock.now();
    made.take({ isWhole: true, objects: [['a', object('a', '1')]], resourceVersion: '1' });
    await clock.advance(199);
    made.take({
      isWhole: false,
      objects: [
        ['a', object('a', '2')],
        ['b', undefined],
      ],
      resourceVersion: '2',
    });
    expect(writes).toEqual([]);
    await clock.advance(1);
    await made.idle();
    const text = JSON.stringify(object('a', '2'));
    expect(writes).toEqual([
      {
        isWhole: true,
        put: [{ key: 'a', uid: 'u-a', version: '2', text }],
        gone: ['b'],
        resourceVersion: '2',
        at: at + 200,
      },
    ]);
    await clock.advance(10_000);
    expect(writes).toHaveLength(1);
  });
});

const NAME: Cells['columns'] = [{ name: 'Name', type: 'string', format: '', priority: 0 }];

it.each([
  ['the same columns', NAME, '11'],
  ['other columns', [{ ...(NAME[0] as object), name: 'Other' }] as unknown as Cells['columns'], ''],
])(
  'a writer that goes on with stored columns stores rows with %s, and no columns again',
  async (_, columns, version) => {
    const { made, stored, writes } = writer(undefined, JSON.stringify(NAME));
    const objects = ['a', 'b'].map(
      (name) => [name, withCells(object(name), { columns, cells: [name] })] as [string, UnknownObject],
    );
    made.take({ isWhole: false, objects, resourceVersion: '11' });
    await stored();
    expect(writes.map(({ put, resourceVersion }) => [[...put].map(({ key }) => key), resourceVersion])).toEqual([
      [['a', 'b'], version],
    ]);
  },
);

it('the objects of stored rows are those that were stored, with the cells that they had', async () => {
  const { made, clock, stored } = writer();
  const row = withCells(object('a'), { columns: NAME, cells: ['a\nb', 1] });
  const timed = withCells(object('c'), { columns: NAME, cells: ['3 (1s ago)'], at: 42 });
  const objects: [string, UnknownObject][] = [
    ['a', row],
    ['b', object('b')],
    ['c', timed],
  ];
  made.take({ isWhole: true, objects, resourceVersion: '10' });
  const rows = (await stored()) as NonNullable<Awaited<ReturnType<typeof stored>>>;
  expect(await objectsOfRows(rows, clock)).toEqual([row, object('b'), timed]);
});

describe('many rows are written and read in slices of three milliseconds, between which other code runs', () => {
  /**
   * A clock by which each look at it takes half a millisecond, how often other code could run, and how many looks were
   * in its time.
   */
  function busyClock() {
    let now = 0;
    let isTaken = false;
    const clock = Object.assign(new FakeClock(), {
      turns: 0,
      intrusions: 0,
      monotonic() {
        if (isTaken) clock.intrusions++;
        now += 0.5;
        return now;
      },
      sleep: async () => {},
      async yield() {
        clock.turns++;
        isTaken = true;
        await yieldToEventLoop();
        isTaken = false;
      },
    });
    return clock;
  }

  it('when they are stored', async () => {
    const clock = busyClock();
    const target = { write: async () => {} };
    const made = new StateWriter({ scope: 'pods', columnsText: undefined, clock, target, onFault: () => {} });
    made.take({ isWhole: true, objects: all(66), resourceVersion: '1' });
    await made.idle();
    expect([clock.turns, clock.intrusions]).toEqual([11, 0]);
  });

  it('when they are read', async () => {
    const clock = busyClock();
    const rows = all(66).map(([key], i) => ({ key, uid: `u${i}`, version: '1', text: '{"metadata":{}}' }));
    expect(await objectsOfRows({ rows, resourceVersion: '1', at: 0 }, clock)).toHaveLength(66);
    expect([clock.turns, clock.intrusions]).toEqual([11, 0]);
  });
});
