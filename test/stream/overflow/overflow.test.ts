import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import type { ObjectChange } from '../../../src/stream/envelope.ts';
import type { GateTarget } from '../../../src/stream/filter-gate.ts';
import { lossText } from '../../../src/stream/markers.ts';
import { Outlet, type OverflowOptions } from '../../../src/stream/overflow/overflow.ts';
import { settled } from '../../../src/testing/fake-clock.ts';

const PODS: GateTarget = { type: { gvr: { group: '', version: 'v1', resource: 'pods' } } };
const JOBS: GateTarget = { type: { gvr: { group: 'batch', version: 'v1', resource: 'jobs' } } };

const at = (name: string, version: number): UnknownObject => ({ metadata: { name, resourceVersion: String(version) } });
const add = (name: string, version: number, cause: ObjectChange['cause'] = 'watch'): ObjectChange => ({
  type: 'added',
  object: at(name, version),
  cause,
});
const update = (name: string, from: number, to: number): ObjectChange => ({
  type: 'updated',
  object: at(name, to),
  oldObject: at(name, from),
  cause: 'watch',
});
const remove = (name: string, version: number): ObjectChange => ({
  type: 'deleted',
  object: at(name, version),
  cause: 'watch',
});

function line({ type, object, oldObject }: ObjectChange): string {
  const old = oldObject ? `${oldObject.metadata.resourceVersion}->` : '';
  return `${type} ${object.metadata.name}@${old}${object.metadata.resourceVersion}`;
}

/** An outlet whose reader is slow until released, and takes everything at once from then on. */
function slow(options: OverflowOptions) {
  const written: string[] = [];
  let release = () => {};
  let gate: Promise<void> | undefined = new Promise((resolve) => (release = resolve));
  let now = 0;
  const outlet = new Outlet<GateTarget>(options, {
    clock: { ...systemClock, now: () => ++now },
    write: (change) => {
      written.push(line(change));
      return gate;
    },
    lost: (loss) => void written.push(lossText(loss)),
    onLost: () => {},
    onError: (error) => written.push(String(error)),
  });
  const send = (...changes: ObjectChange[]) => {
    for (const change of changes) outlet.change(change, PODS);
  };
  const go = async () => {
    gate = undefined;
    release();
    await settled();
    return written;
  };
  return { outlet, written, let: send, go };
}

describe.each(['coalesce', 'drop'] as const)('%s', (policy) => {
  it('writes at once while the reader has room', () => {
    const written: string[] = [];
    const outlet = new Outlet<GateTarget>(
      { policy },
      {
        clock: { ...systemClock, now: () => 0 },
        write: (change) => void written.push(line(change)),
        lost: () => {},
        onLost: () => {},
        onError: () => {},
      },
    );
    outlet.change(add('a', 1), PODS);
    outlet.step(() => void written.push('step'));
    expect(written).toEqual(['added a@1', 'step']);
  });

  it('keeps steps in their place, and none of them is lost', async () => {
    const { outlet, let: out, go, written } = slow({ policy, limit: 1 });
    out(add('a', 1), add('b', 1));
    outlet.step(() => void written.push('step'));
    out(add('c', 1));
    expect((await go()).filter((text) => !text.startsWith('dropped'))).toEqual(
      policy === 'drop' ? ['added a@1', 'added b@1', 'step'] : ['added a@1', 'added b@1', 'step', 'added c@1'],
    );
  });

  it('resolves when everything has been written', async () => {
    const { outlet, let: out, go, written } = slow({ policy });
    out(add('a', 1), add('b', 1));
    void outlet.reached().then(() => written.push('reached'));
    await settled();
    expect(written).toEqual(['added a@1']);
    expect(await go()).toEqual(['added a@1', 'added b@1', 'reached']);
  });

  it('reports the error of a write, and continues', async () => {
    const errors: unknown[] = [];
    const written: string[] = [];
    const write = (change: ObjectChange) => {
      written.push(line(change));
      if (written.length === 1) return Promise.reject('slow');
      if (written.length === 2) throw 'fast';
      return undefined;
    };
    const outlet = new Outlet<GateTarget>(
      { policy },
      {
        clock: { ...systemClock, now: () => 0 },
        write,
        lost: () => {},
        onLost: () => {},
        onError: (error) => errors.push(error),
      },
    );
    for (const name of ['a', 'b', 'c']) outlet.change(add(name, 1), PODS);
    await settled();
    expect([written.length, errors]).toEqual([3, ['slow', 'fast']]);
  });
});

describe('coalesce', () => {
  it('shows the latest state of each object, and reports before it what was merged', async () => {
    const { let: out, go } = slow({ policy: 'coalesce' });
    out(add('a', 1), update('b', 1, 2), update('a', 1, 2), update('b', 2, 3), update('b', 3, 4), update('c', 1, 2));
    expect(await go()).toEqual([
      'added a@1',
      'coalesced 2 updates of 1 object',
      'updated b@1->4',
      'updated a@1->2',
      'updated c@1->2',
    ]);
  });

  it.each<[string, ObjectChange[], string[]]>([
    ['an addition and its updates', [add('b', 1), update('b', 1, 2)], ['coalesced 1 update of 1 object', 'added b@2']],
    [
      'an addition and its deletion',
      [add('b', 1), update('b', 1, 2), remove('b', 2)],
      ['coalesced 3 updates of 1 object'],
    ],
    [
      'an update and the deletion',
      [update('b', 1, 2), remove('b', 3)],
      ['coalesced 1 update of 1 object', 'deleted b@3'],
    ],
    ['a deletion and another object', [remove('b', 3), add('b', 4)], ['deleted b@3', 'added b@4']],
    [
      'and its updates',
      [remove('b', 3), add('b', 4), update('b', 4, 5)],
      ['coalesced 1 update of 1 object', 'deleted b@3', 'added b@5'],
    ],
    [
      'and its deletion',
      [remove('b', 3), add('b', 4), remove('b', 5), add('b', 6)],
      ['coalesced 2 updates of 1 object', 'deleted b@3', 'added b@6'],
    ],
  ])('%s', async (_, changes, expected) => {
    const { let: out, go } = slow({ policy: 'coalesce' });
    out(add('a', 1), ...changes);
    expect((await go()).slice(1)).toEqual(expected);
  });

  it('keeps objects of one name apart by their type', async () => {
    const { outlet, let: out, go } = slow({ policy: 'coalesce' });
    out(add('a', 1), update('b', 1, 2));
    outlet.change(update('b', 7, 8), JOBS);
    expect(await go()).toEqual(['added a@1', 'updated b@1->2', 'updated b@7->8']);
  });
});

describe('drop', () => {
  it('shows what fits, and reports the rest at its position', async () => {
    const { let: out, go } = slow({ policy: 'drop', limit: 2 });
    out(add('a', 1), add('b', 1), add('c', 1), add('d', 1), add('e', 1));
    expect(await go()).toEqual(['added a@1', 'added b@1', 'added c@1', 'dropped 2 events']);
  });

  it('keeps a thousand events that wait, unless a limit is given', async () => {
    const { let: out, go } = slow({ policy: 'drop' });
    out(...Array.from({ length: 1002 }, (_, i) => add(`o${i}`, 1)));
    const written = await go();
    expect([written.length, written.at(-1)]).toEqual([1002, 'dropped 1 event']);
  });

  it('takes new events again when half of the buffer is free', async () => {
    const releases: (() => void)[] = [];
    const written: string[] = [];
    const outlet = new Outlet<GateTarget>(
      { policy: 'drop', limit: 4 },
      {
        clock: { ...systemClock, now: () => 0 },
        write: (change) => {
          written.push(line(change));
          return new Promise<void>((resolve) => releases.push(resolve));
        },
        lost: (loss) => void written.push(lossText(loss)),
        onLost: () => {},
        onError: () => {},
      },
    );
    const next = async () => {
      releases.shift()?.();
      await settled();
    };
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) outlet.change(add(name, 1), PODS);
    await next();
    outlet.change(add('g', 1), PODS);
    await next();
    await next();
    outlet.change(add('h', 1), PODS);
    while (releases.length > 0) await next();
    expect(written).toEqual([
      'added a@1',
      'added b@1',
      'added c@1',
      'added d@1',
      'added e@1',
      'dropped 2 events',
      'added h@1',
    ]);
  });

  it('never drops the initial list', async () => {
    const { let: out, go } = slow({ policy: 'drop', limit: 1 });
    out(...['a', 'b', 'c', 'd'].map((name) => add(name, 1, 'initial')), add('e', 1));
    expect(await go()).toEqual(['added a@1', 'added b@1', 'added c@1', 'added d@1', 'added e@1']);
  });

  it.each([0, Number.NaN])('refuses a limit of %d', (limit) => {
    expect(() => slow({ policy: 'drop', limit })).toThrow('limit must be at least 1');
  });
});

describe('for any changes and any reader', () => {
  const steps = fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c'), go: fc.boolean(), remove: fc.boolean() }), {
    maxLength: 40,
  });

  it('coalescing shows the events of each object as ADDED, MODIFIED …, DELETED, ends with the current objects, and counts every merged change', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const shown = new Map<string, string>();
        const cache = new Map<string, number>();
        let releases: (() => void)[] = [];
        let [written, lost, counted, sent] = [0, 0, 0, 0];
        const outlet = new Outlet<GateTarget>(
          { policy: 'coalesce' },
          {
            clock: { ...systemClock, now: () => 0 },
            write: ({ type, object, oldObject }) => {
              const { name = '', resourceVersion = '' } = object.metadata;
              expect(shown.get(name)).toBe(
                type === 'added'
                  ? undefined
                  : type === 'updated'
                    ? oldObject?.metadata.resourceVersion
                    : (shown.get(name) ?? 'nothing'),
              );
              if (type === 'deleted') shown.delete(name);
              else shown.set(name, resourceVersion);
              written++;
              return new Promise((resolve) => releases.push(resolve));
            },
            lost: (loss) => {
              lost += loss.events;
            },
            onLost: (_, events) => {
              counted += events;
            },
            onError: (error) => {
              throw error;
            },
          },
        );
        const go = async () => {
          for (const release of releases) release();
          releases = [];
          await settled();
        };
        for (const [version, step] of all.entries()) {
          const old = cache.get(step.name);
          const change =
            old === undefined
              ? add(step.name, version)
              : step.remove
                ? remove(step.name, old)
                : update(step.name, old, version);
          outlet.change(change, PODS);
          sent++;
          if (change.type === 'deleted') cache.delete(step.name);
          else cache.set(step.name, version);
          if (step.go) await go();
        }
        while (releases.length > 0) await go();
        expect([...shown].sort()).toEqual([...cache].map(([name, version]) => [name, String(version)]).sort());
        expect([written + lost, counted]).toEqual([sent, lost]);
      }),
      { numRuns: 60 },
    );
  });
});

it('a long backlog lets other code run after each thousand writes', async () => {
  const yields: (() => void)[] = [];
  const clock = { now: () => 0, yield: () => new Promise<void>((resolve) => yields.push(resolve)) };
  let written = 0;
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const write = () => (written++ === 0 ? gate : undefined);
  const outlet = new Outlet<GateTarget>({ policy: 'coalesce' }, { clock, write, lost() {}, onLost() {}, onError() {} });
  for (let i = 0; i <= 2500; i++) outlet.change(add(`p${i}`, i), PODS);
  release();
  await settled();
  expect([written, yields.length]).toEqual([1 + 1000, 1]);
  yields[0]?.();
  await settled();
  expect([written, yields.length]).toEqual([1 + 2000, 2]);
  yields[1]?.();
  await settled();
  expect([written, yields.length]).toEqual([1 + 2500, 2]);
});
