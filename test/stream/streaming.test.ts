import { describe, expect, it, test } from 'vitest';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import type { KubeObject, ReadonlyObject, UnknownObject } from '../../src/model/object.ts';
import type { ResourceType } from '../../src/model/resource-type.ts';
import type { CompiledCondition } from '../../src/stream/conditions/condition.ts';
import type { WaitRules } from '../../src/stream/conditions/wait-rules.ts';
import { Waiter } from '../../src/stream/conditions/waiter.ts';
import { Enveloper, type EventEnvelope } from '../../src/stream/envelope.ts';
import {
  type EventStreamOptions,
  type StreamTarget,
  streamEvents,
  type Unreported,
} from '../../src/stream/event-stream.ts';
import { createFilterGate } from '../../src/stream/filter-gate.ts';
import type { Loss } from '../../src/stream/overflow/backlog.ts';
import { overflowPolicies } from '../../src/stream/overflow/overflow.ts';
import { Redactor } from '../../src/stream/redact.ts';
import { StreamSummary } from '../../src/stream/summary.ts';
import { FakeClock, settled } from '../../src/testing/fake-clock.ts';
import {
  added,
  bookmark,
  deleted,
  errorEvent,
  expired,
  initialEnd,
  modified,
  ScriptedListerWatcher,
  ScriptedStream,
} from '../support/scripted-events.ts';

const typeOf = (resource: string, kind: string) =>
  ({ gvr: { group: '', version: 'v1', resource }, kind, namespaced: true }) as ResourceType;

const pod = (name: string, resourceVersion: number, phase = 'Pending'): UnknownObject & KubeObject => ({
  metadata: { name, namespace: 'shop', uid: name, resourceVersion: String(resourceVersion) },
  status: { phase },
});
const phaseOf = (object: unknown) => (object as { status?: { phase?: string } }).status?.phase;
const phase = (wanted: string): CompiledCondition => ({
  source: wanted,
  readsEvent: false,
  test: ({ object }) => phaseOf(object) === wanted,
});

/** An informer over scripted streams, running. */
function running(resource: string, clock: FakeClock, ...streams: ScriptedStream<UnknownObject>[]) {
  const source = new ScriptedListerWatcher<UnknownObject>().onWatch(...streams);
  const informer = new SharedInformer<UnknownObject>(source, { name: resource, clock, random: () => 0, freeze: true });
  const ending = new AbortController();
  const done = informer.run(ending.signal);
  const target: StreamTarget = { type: typeOf(resource, resource), informer, namespaces: ['shop'] };
  const stop = () => {
    ending.abort();
    return done;
  };
  return { target, stop };
}

const stream = (...events: Parameters<ScriptedStream<UnknownObject>['send']>) =>
  new ScriptedStream<UnknownObject>().send(...events);

interface Bench {
  readonly shown: string[];
  readonly done: Promise<string | undefined>;
  readonly clock: FakeClock;
  readonly waiter: Waiter | undefined;
  /** Lets a slow reader take everything from now on. */
  readonly release: () => Promise<void>;
  readonly end: () => Promise<void>;
}

interface Wanted extends Partial<Omit<EventStreamOptions, 'overflow' | 'waiter'>> {
  readonly overflow?: { policy: 'block' | 'coalesce' | 'drop'; limit?: number };
  readonly wait?: WaitRules;
  readonly isSlow?: boolean;
  readonly markers?: boolean;
}

/**
 * A stream over pods, or more types, that writes down what it shows; with `isSlow` its reader stops at the first event.
 */
function bench(
  { overflow, wait, isSlow, markers, ...options }: Wanted,
  ...types: [string, ...ScriptedStream<UnknownObject>[]][]
): Bench {
  const clock = new FakeClock();
  const informers = types.map(([resource, ...streams]) => running(resource, clock, ...streams));
  const targets = informers.map(({ target }) => target);
  const ending = new AbortController();
  const shown: string[] = [];
  let release = () => {};
  let slow: Promise<void> | undefined = isSlow ? new Promise((resolve) => (release = resolve)) : undefined;
  const waiter = wait && new Waiter(wait, { clock, targets });
  const done = streamEvents(
    {
      targets,
      enveloper: new Enveloper({ clock, redactor: new Redactor() }),
      print: ({ type, object, cause, seq }) => {
        shown.push(`${seq} ${type} ${object.metadata.name}@${object.metadata.resourceVersion} ${cause}`);
        return slow;
      },
      onSynced: ({ type }, objects) => void shown.push(`synced ${type.kind} ${objects}`),
      onLoss: (loss) => void shown.push(JSON.stringify(loss satisfies Loss)),
      ...(markers ? { mark: ({ time: _, ...marker }) => void shown.push(JSON.stringify(marker)) } : {}),
      ...(overflow ? { overflow: { ...overflow, clock } } : {}),
      waiter,
      ...options,
    },
    ending.signal,
  ).then((outcome) => outcome?.kind);
  return {
    shown,
    done,
    clock,
    waiter,
    release: async () => {
      slow = undefined;
      release();
      await settled();
    },
    end: async () => {
      ending.abort();
      await done;
      waiter?.[Symbol.dispose]();
      await Promise.all(informers.map(({ stop }) => stop()));
    },
  };
}

test.each([undefined, ...overflowPolicies])(
  'under %s the marker of an initial list and its later events wait for onSynced',
  async (policy) => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { shown, end } = bench(
      { markers: true, onSynced: () => answered, ...(policy ? { overflow: { policy } } : {}) },
      ['pods', stream(added(pod('p', 1)), initialEnd(2)).send(modified(pod('p', 3)))],
    );
    await settled();
    expect(shown).toEqual(['1 ADDED p@1 initial']);
    answer();
    await settled();
    expect(shown.slice(1)).toEqual([
      '{"type":"SYNCED","gvr":"v1/pods","objects":1,"resourceVersion":"2","seq":2}',
      '3 MODIFIED p@3 watch',
    ]);
    await end();
  },
);

describe('under block a slow reader', () => {
  const byName = (a: ReadonlyObject, b: ReadonlyObject) =>
    String(a.metadata.name).localeCompare(String(b.metadata.name));

  it('gets a sorted initial list before the mark that it is complete', async () => {
    const pods = stream(added(pod('b', 1)), added(pod('a', 1)), initialEnd(2));
    const { shown, release, end } = bench({ isSlow: true, sortInitial: byName }, ['pods', pods]);
    await settled();
    expect(shown).toEqual(['1 ADDED a@1 initial']);
    await release();
    expect(shown).toEqual(['1 ADDED a@1 initial', '2 ADDED b@1 initial', 'synced pods 2']);
    await end();
  });

  it('gets no later event before it has taken the marker of the initial list', async () => {
    let answer = () => {};
    const mark = () => new Promise<void>((resolve) => (answer = resolve));
    const pods = stream(added(pod('a', 1)), initialEnd(2));
    const { shown, end } = bench({ mark, sortInitial: byName }, ['pods', pods]);
    await settled();
    pods.send(modified(pod('a', 3)));
    await settled();
    expect(shown).toEqual(['1 ADDED a@1 initial', 'synced pods 1']);
    answer();
    await settled();
    expect(shown.at(-1)).toBe('3 MODIFIED a@3 watch');
    await end();
  });
});

describe('a type that joins later', () => {
  const jobs = (clock: FakeClock) => running('jobs', clock, stream(added(pod('j', 1, 'Running')), initialEnd(2)));

  it('is shown when its list is there, counts for the wait, and may decide it', async () => {
    let join: ((target: StreamTarget) => void) | undefined;
    const onJoinable = (given: typeof join) => {
      join = given;
    };
    const pods = stream(added(pod('p', 1, 'Running')), initialEnd(2));
    const wait = { until: [phase('Running')], staysMs: 1000 };
    const { shown, done, clock, end } = bench({ onJoinable, wait }, ['pods', pods]);
    await settled();
    const watch = stream(added(pod('j', 1)), initialEnd(2));
    const second = running('jobs', clock, watch);
    join?.(second.target);
    await settled();
    await clock.advance(2000);
    watch.send(modified(pod('j', 3, 'Running')));
    await settled();
    expect(shown).toEqual([
      '1 ADDED p@1 initial',
      'synced pods 1',
      '2 ADDED j@1 initial',
      'synced jobs 1',
      '3 MODIFIED j@3 watch',
    ]);
    await clock.advance(1000);
    expect(await done).toBe('until');
    await end();
    await second.stop();
  });

  it('has in its SYNCED marker the version of its last list, not of its first', async () => {
    let join: ((target: StreamTarget) => void) | undefined;
    const onJoinable = (given: typeof join) => {
      join = given;
    };
    const { shown, clock, end } = bench({ onJoinable, markers: true }, ['pods', stream(initialEnd(2))]);
    const first = stream(initialEnd(10));
    const second = running('jobs', clock, first, stream(added(pod('j', 20)), initialEnd(21)).send(bookmark(22)));
    await settled();
    first.send(errorEvent(expired()));
    await clock.advance(60_000);
    join?.(second.target);
    await settled();
    const [marker] = shown.filter((line) => line.includes('SYNCED') && line.includes('jobs'));
    expect(JSON.parse(marker ?? '{}')).toMatchObject({ type: 'SYNCED', objects: 1, resourceVersion: '21' });
    await end();
    await second.stop();
  });

  it('is not shown once the stream has ended', async () => {
    let join: ((target: StreamTarget) => void) | undefined;
    const onJoinable = (given: typeof join) => {
      join = given;
    };
    const { shown, clock, end } = bench({ onJoinable }, ['pods', stream(added(pod('p', 1)), initialEnd(2))]);
    await settled();
    await end();
    const second = jobs(clock);
    join?.(second.target);
    await settled();
    expect(shown).toEqual(['1 ADDED p@1 initial', 'synced pods 1']);
    await second.stop();
  });
});

test('first states are shown type by type in order, then every change as it comes', async () => {
  const pods = stream();
  const jobs = stream(added(pod('j', 1)), initialEnd(2));
  const { shown, end } = bench({}, ['pods', pods], ['jobs', jobs]);
  await settled();
  expect(shown).toEqual([]);
  pods.send(added(pod('p', 1)), initialEnd(2));
  await settled();
  jobs.send(modified(pod('j', 3)));
  await settled();
  pods.send(modified(pod('p', 4)));
  await settled();
  expect(shown).toEqual([
    '1 ADDED p@1 initial',
    'synced pods 1',
    '2 ADDED j@1 initial',
    'synced jobs 1',
    '3 MODIFIED j@3 watch',
    '4 MODIFIED p@4 watch',
  ]);
  await end();
});

test('an initial list can be sorted, and its end is reported before any other event of the type', async () => {
  const first = ['b', 'c', 'a'].map((name) => added(pod(name, 1)));
  const pods = stream(...first, initialEnd(2)).send(modified(pod('c', 3)));
  const byName = (a: ReadonlyObject, b: ReadonlyObject) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1);
  const { shown, end } = bench({ sortInitial: byName }, ['pods', pods]);
  await settled();
  expect(shown).toEqual([
    '1 ADDED a@1 initial',
    '2 ADDED b@1 initial',
    '3 ADDED c@1 initial',
    'synced pods 3',
    '4 MODIFIED c@3 watch',
  ]);
  await end();
});

test('a sorted initial list comes before the changes that arrived while another namespace was still missing', async () => {
  const clock = new FakeClock();
  const [shop, db] = [stream(added(pod('a', 1)), initialEnd(2)), stream()];
  const source = (...streams: ScriptedStream<UnknownObject>[]) =>
    new ScriptedListerWatcher<UnknownObject>().onWatch(...streams);
  const informer = new SharedInformer<UnknownObject>(
    [
      { source: source(shop), namespace: 'shop' },
      { source: source(db), namespace: 'db' },
    ],
    { clock, random: () => 0 },
  );
  const ending = new AbortController();
  const running = informer.run(ending.signal);
  const shown: string[] = [];
  const enveloper = new Enveloper({ clock, redactor: new Redactor() });
  const print = ({ type, object }: { type: string; object: ReadonlyObject }) =>
    void shown.push(`${type} ${object.metadata.name}`);
  const byName = (a: ReadonlyObject, b: ReadonlyObject) => ((a.metadata.name ?? '') > (b.metadata.name ?? '') ? -1 : 1);
  const targets = [{ type: typeOf('pods', 'Pod'), informer }];
  const done = streamEvents(
    { targets, enveloper, print, sortInitial: byName, onSynced: (_, count) => void shown.push(`synced ${count}`) },
    ending.signal,
  );
  await settled();
  shop.send(modified(pod('a', 3)));
  await settled();
  expect(shown).toEqual([]);
  db.send(added({ ...pod('b', 4), metadata: { ...pod('b', 4).metadata, namespace: 'db' } }), initialEnd(5));
  await settled();
  expect(shown).toEqual(['ADDED b', 'ADDED a', 'synced 2', 'MODIFIED a']);
  ending.abort();
  await Promise.all([done, running]);
});

describe.each(overflowPolicies)('--once under %s', (policy) => {
  it('ends when everything has been written', async () => {
    const pods = stream(added(pod('a', 1)), added(pod('b', 1)), initialEnd(2));
    const { shown, done, release, end } = bench({ once: true, overflow: { policy, limit: 1 }, isSlow: true }, [
      'pods',
      pods,
    ]);
    let isDone = false;
    void done.then(() => (isDone = true));
    await settled();
    expect([shown.length, isDone]).toEqual([1, false]);
    await release();
    await done;
    expect(shown).toEqual(['1 ADDED a@1 initial', '2 ADDED b@1 initial', 'synced pods 2']);
    await end();
  });
});

test('a change that the gate hides has no number', async () => {
  const pods = stream(added(pod('a', 1)), added(pod('b', 1, 'Running')), initialEnd(2)).send(
    modified(pod('a', 3, 'Running')),
  );
  const gate = createFilterGate({ clock: new FakeClock(), conditions: [phase('Running')] });
  const { shown, end } = bench({ gate }, ['pods', pods]);
  await settled();
  expect(shown).toEqual(['1 ADDED b@1 initial', 'synced pods 2', '2 ADDED a@3 filter']);
  await end();
});

test('markers are at their positions and are numbered with the events', async () => {
  const first = stream(added(pod('a', 1)), initialEnd(10)).send(modified(pod('a', 11)));
  const second = stream(added(pod('a', 20)), initialEnd(21)).send(bookmark(22));
  const { shown, clock, end } = bench({ markers: true }, ['pods', first, second]);
  await settled();
  first.send(errorEvent(expired()));
  await clock.advance(60_000);
  expect(shown).toEqual([
    '1 ADDED a@1 initial',
    'synced pods 1',
    '{"type":"SYNCED","gvr":"v1/pods","objects":1,"resourceVersion":"10","seq":2}',
    '3 MODIFIED a@11 watch',
    '{"type":"GAP","gvr":"v1/pods","reason":"gone","from":"11","seq":4}',
    '5 MODIFIED a@20 relist',
    '{"type":"RELISTED","gvr":"v1/pods","reason":"gone","from":"11","to":"21","objects":1,"seq":6}',
  ]);
  await end();
});

test('a gap of a later type, opened while an earlier type was not complete yet, is marked after its initial list', async () => {
  const slow = stream();
  const first = stream(added(pod('j', 1)), initialEnd(10));
  const second = stream();
  const { shown, clock, end } = bench({ markers: true }, ['pods', slow], ['jobs', first, second]);
  await settled();
  first.send(errorEvent(expired()));
  await clock.advance(60_000);
  slow.send(initialEnd(2));
  await settled();
  second.send(added(pod('j', 20)), initialEnd(21)).send(bookmark(22));
  await settled();
  expect(shown.filter((text) => !text.startsWith('synced'))).toEqual([
    '{"type":"SYNCED","gvr":"v1/pods","objects":0,"resourceVersion":"2","seq":1}',
    '2 ADDED j@1 initial',
    expect.stringMatching(/^{"type":"SYNCED","gvr":"v1\/jobs","objects":1,/),
    '{"type":"GAP","gvr":"v1/jobs","reason":"gone","from":"10","seq":4}',
    '5 MODIFIED j@20 relist',
    '{"type":"RELISTED","gvr":"v1/jobs","reason":"gone","from":"10","to":"21","objects":1,"seq":6}',
  ]);
  await end();
});

it('counts the evaluations that failed, those of the filters and those of the wait', async () => {
  const failing = (source: string): CompiledCondition => ({ source, readsEvent: false, test: () => new Error('no') });
  const count = async (options: Pick<Wanted, 'wait' | 'gate'>) => {
    const summary = new StreamSummary();
    const { end } = bench({ ...options, summary }, ['pods', stream(added(pod('a', 1)), initialEnd(2))]);
    await settled();
    await end();
    return summary.losses.expressionErrors;
  };
  const filters = () => createFilterGate({ clock: new FakeClock(), conditions: [failing('filter')] });
  expect([
    await count({}),
    await count({ gate: filters() }),
    await count({ wait: { until: [failing('until')] } }),
    await count({ gate: filters(), wait: { until: [failing('until')] } }),
  ]).toEqual([0, 1, 1, 2]);
});

describe('a reader that stops reading', () => {
  const name = (i: number) => `p${i}`;
  const flood = (pods: ScriptedStream<UnknownObject>, from: number, count: number) => {
    for (let i = 0; i < count; i += 100)
      pods.send(...Array.from({ length: 100 }, (_, j) => modified(pod(name(j % 10), from + i + j))));
  };
  const first = () => stream(...Array.from({ length: 10 }, (_, i) => added(pod(name(i), 1))), initialEnd(2));

  it('under block holds up the reading of the server, and gets every event later', async () => {
    const pods = first();
    const { shown, release, end, clock } = bench({ overflow: { policy: 'block' }, isSlow: true }, ['pods', pods]);
    await settled();
    flood(pods, 100, 20_000);
    for (let i = 0; i < 60; i++) await clock.advance(1000);
    expect(pods.unread).toBeGreaterThan(100);
    expect(shown.length).toBe(1);
    await release();
    for (let i = 0; i < 100 && shown.length < 20_011; i++) await settled();
    expect(shown.length).toBe(20_011);
    expect(shown.at(-1)).toBe(`20010 MODIFIED p9@20099 watch`);
    await end();
  });

  it('with coalesce gets the latest states, and a report of what was merged', async () => {
    const pods = first();
    const { shown, release, end } = bench({ overflow: { policy: 'coalesce' }, isSlow: true, markers: true }, [
      'pods',
      pods,
    ]);
    await settled();
    flood(pods, 100, 5000);
    for (let i = 0; i < 60; i++) await settled();
    expect([pods.unread, shown.length]).toEqual([0, 1]);
    await release();
    await settled();
    expect(shown.slice(1, 3)).toEqual([
      '{"how":"coalesced","events":4999,"objects":10}',
      '{"type":"GAP","reason":"coalesced","lost":{"events":4999,"objects":10},"seq":2}',
    ]);
    expect(shown.filter((text) => /ADDED|MODIFIED/.test(text)).length).toBe(11);
    expect(shown).toContain('13 MODIFIED p0@5090 watch');
    await end();
  });

  it('with drop gets the initial list and what fits, and a report of the rest', async () => {
    const pods = first();
    const { shown, release, end } = bench({ overflow: { policy: 'drop', limit: 100 }, isSlow: true, markers: true }, [
      'pods',
      pods,
    ]);
    await settled();
    flood(pods, 100, 5000);
    for (let i = 0; i < 60; i++) await settled();
    expect([pods.unread, shown.length]).toEqual([0, 1]);
    await release();
    await settled();
    expect(shown.filter((text) => text.includes('ADDED')).length).toBe(10);
    expect(shown.filter((text) => text.includes('MODIFIED')).length).toBe(100);
    expect(shown.slice(-2)).toEqual([
      '{"how":"dropped","events":4900}',
      '{"type":"GAP","reason":"dropped","lost":{"events":4900},"seq":112}',
    ]);
    await end();
  });
});

describe('a stream that ends before its reader got there', () => {
  const flood = (count: number) => Array.from({ length: count }, (_, i) => modified(pod(i % 2 ? 'a' : 'b', 10 + i)));

  it.each(['coalesce', 'drop'] as const)(
    'reports at its end the losses of %s until then; the reports sum up to the counts',
    async (policy) => {
      const pods = stream(added(pod('a', 1)), added(pod('b', 1)), initialEnd(2));
      const summary = new StreamSummary();
      const told: Loss[] = [];
      let unreported: Unreported | undefined;
      const { shown, release, end } = bench(
        {
          overflow: { policy, limit: 3 },
          isSlow: true,
          summary,
          onLoss: (loss) => void told.push(loss),
          onEnd: (last) => {
            unreported = last;
          },
        },
        ['pods', pods],
      );
      await settled();
      pods.send(...flood(20));
      await settled();
      await end();
      expect(shown).toEqual(['1 ADDED a@1 initial']);
      const lost = summary.losses.dropped + summary.losses.coalesced;
      expect(lost).toBeGreaterThan(0);
      expect([...told, ...(unreported?.losses ?? [])].reduce((sum, { events }) => sum + events, 0)).toBe(lost);
      expect((unreported?.waiting ?? 0) + lost).toBe(21); // all but the first
      await release();
      expect(told).toEqual([]);
    },
  );

  it('reports a loss at its end if printing an event before it ended the stream', async () => {
    const pods = stream(added(pod('a', 1)), initialEnd(2));
    const summary = new StreamSummary();
    const told: Loss[] = [];
    const losses: Loss[] = [];
    const printed: string[] = [];
    let resume = () => {};
    const firstTaken = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const { end } = bench(
      {
        overflow: { policy: 'drop', limit: 2 },
        summary,
        print: ({ object }) => {
          printed.push(String(object.metadata.resourceVersion));
          if (printed.length === 1) return firstTaken;
          void end();
          return undefined;
        },
        onLoss: (loss) => void told.push(loss),
        onEnd: (last) => void losses.push(...last.losses),
      },
      ['pods', pods],
    );
    await settled();
    pods.send(...flood(20));
    await settled();
    resume();
    await settled();
    expect(printed).toEqual(['1', '10']);
    expect(told).toEqual([]);
    expect(losses).toEqual([{ how: 'dropped', events: 18 }]);
    expect(summary.losses.dropped).toBe(18);
    await end();
  });

  it('names the gaps that have no marker yet, under every policy', async () => {
    for (const policy of overflowPolicies) {
      const first = stream(added(pod('a', 1)), initialEnd(10));
      let unreported: Unreported | undefined;
      const options = {
        markers: true,
        overflow: { policy },
        isSlow: true,
        onEnd: (last: Unreported) => {
          unreported = last;
        },
      };
      const { shown, clock, release, end } = bench(options, ['pods', first, stream()]);
      await settled();
      first.send(errorEvent(expired()));
      await clock.advance(60_000);
      const ended = end();
      await release(); // an informer waits for a handler that is at work
      await ended;
      expect([policy, shown]).toEqual([policy, ['1 ADDED a@1 initial']]);
      expect(unreported?.continuity.map(({ event }) => event)).toMatchObject([{ kind: 'gap', from: '10' }]);
    }
  });

  it('names no gap that has its marker, or that a relist closed before the type was shown', async () => {
    const slow = stream();
    const pods = stream(added(pod('a', 1)), initialEnd(10));
    const jobs = stream(added(pod('j', 1)), initialEnd(10));
    const whole = () => stream(added(pod('j', 20)), initialEnd(21)).send(bookmark(22));
    let unreported: Unreported | undefined;
    const nodes = stream(initialEnd(10));
    const all: [string, ...ScriptedStream<UnknownObject>[]][] = [
      ['pods', pods, stream()],
      ['maps', slow],
      ['jobs', jobs, whole()],
      ['nodes', nodes, stream()],
    ];
    const { shown, clock, end } = bench(
      {
        markers: true,
        onEnd: (last) => {
          unreported = last;
        },
      },
      ...all,
    );
    await settled();
    pods.send(errorEvent(expired()));
    jobs.send(errorEvent(expired()));
    nodes.send(errorEvent(expired()));
    await clock.advance(60_000);
    await end();
    expect(shown.filter((text) => text.includes('GAP'))).toHaveLength(1);
    expect(unreported).toMatchObject({ losses: [], waiting: 0 });
    const left = unreported?.continuity.map(({ target, event }) => `${event.kind} of ${target.type.kind}`);
    expect(left).toEqual(['gap of nodes']);
  });

  it('names an outage that is open', async () => {
    const first = stream(added(pod('a', 1)), initialEnd(10));
    const ends: Unreported[] = [];
    const { end } = bench({ onEnd: (last) => void ends.push(last) }, ['pods', first]);
    await settled();
    first.break(new Error('reset'));
    await settled();
    await end();
    expect(ends.map(({ continuity }) => continuity.map(({ event }) => event.kind))).toEqual([['disconnected']]);
  });

  it('names no outage that is over', async () => {
    const first = stream(added(pod('a', 1)), initialEnd(10));
    const ends: Unreported[] = [];
    const { clock, end } = bench({ onEnd: (last) => void ends.push(last) }, [
      'pods',
      first,
      stream(modified(pod('a', 11))),
    ]);
    await settled();
    first.break(new Error('reset'));
    await clock.advance(5_000);
    await end();
    expect(ends.map(({ continuity }) => continuity)).toEqual([[]]);
  });

  it('counts under block the changes that wait in the informer', async () => {
    const pods = stream(added(pod('a', 1)), initialEnd(2));
    const ends: Unreported[] = [];
    const { release, end } = bench({ isSlow: true, onEnd: (last) => void ends.push(last) }, ['pods', pods]);
    await settled();
    pods.send(...flood(20));
    await settled();
    const ended = end();
    await release();
    await ended;
    expect(ends[0]?.waiting).toBe(21); // the mark of the initial list, and the changes
  });

  it('prints nothing more while onEnd takes its time', async () => {
    const pods = stream(added(pod('a', 1)), initialEnd(2));
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { shown, done, end } = bench({ once: true, onEnd: () => answered }, ['pods', pods]);
    await settled();
    pods.send(modified(pod('a', 3)));
    await settled();
    let hasEnded = false;
    void done.then(() => {
      hasEnded = true;
    });
    await settled();
    expect(hasEnded).toBe(false);
    answer();
    await done;
    expect(shown).toEqual(['1 ADDED a@1 initial', 'synced pods 1']);
    await end();
  });

  it('rejects if an informer stops before its initial list was there', async () => {
    const clock = new FakeClock();
    const { target, stop } = running('pods', clock, stream(added(pod('a', 1))));
    const enveloper = new Enveloper({ clock, redactor: new Redactor() });
    const done = streamEvents({ targets: [target], enveloper, print: () => {} }, new AbortController().signal);
    const refused = expect(done).rejects.toMatchObject({ code: 'closed' });
    await settled();
    await stop();
    await refused;
  });

  it('says each time that events begin to be dropped, once', async () => {
    const pods = stream(added(pod('a', 1)), initialEnd(2));
    const losing: string[] = [];
    let resume = () => {};
    const { end } = bench(
      {
        overflow: { policy: 'drop', limit: 1 },
        print: () => new Promise<void>((resolve) => (resume = resolve)),
        onLosing: (how) => void losing.push(how),
        onLoss: () => {},
      },
      ['pods', pods],
    );
    for (let round = 1; round <= 2; round++) {
      await settled();
      pods.send(...flood(10));
      await settled();
      expect(losing).toHaveLength(round);
      for (let i = 0; i < 12; i++) {
        resume();
        await settled();
      }
    }
    const ended = end();
    resume();
    await ended;
  });
});

it('a gap that a relist closed is named at the end if its type was shown, and no outage that is over', async () => {
  const first = stream(added(pod('a', 1)), initialEnd(10));
  let unreported: Unreported | undefined;
  const onEnd = (last: Unreported) => {
    unreported = last;
  };
  const { clock, end } = bench({ onEnd }, [
    'pods',
    first,
    stream(added(pod('a', 20)), initialEnd(21)).send(bookmark(22)),
    stream(),
  ]);
  await settled();
  first.send(errorEvent(expired()));
  await clock.advance(60_000);
  await end();
  expect(unreported?.continuity.map(({ event }) => event.kind)).toEqual(['gap']);
});

describe.each(overflowPolicies)('waiting under %s', (policy) => {
  const overflow = { policy };
  const until = { until: [phase('Running')] };

  it('ends behind the event that was waited for', async () => {
    const pods = stream(added(pod('a', 1)), initialEnd(2));
    const { shown, done, end } = bench({ wait: until, overflow }, ['pods', pods]);
    await settled();
    pods.send(modified(pod('a', 3)), modified(pod('a', 4, 'Running')), modified(pod('a', 5, 'Failed')));
    expect(await done).toBe('until');
    await settled();
    expect(shown.slice(2)).toEqual(['2 MODIFIED a@3 watch', '3 MODIFIED a@4 watch']);
    await end();
  });

  it('ends behind it also when other objects changed at the same time', async () => {
    const pods = stream(...['a', 'b', 'c'].map((name) => added(pod(name, 1))), initialEnd(2));
    const { shown, done, end } = bench({ wait: { untilAny: until.until }, overflow }, ['pods', pods]);
    await settled();
    pods.send(modified(pod('a', 3)), modified(pod('b', 4, 'Running')), modified(pod('c', 5)));
    expect(await done).toBe('until-any');
    await settled();
    expect(shown.slice(4)).toEqual(['4 MODIFIED a@3 watch', '5 MODIFIED b@4 watch']);
    await end();
  });

  it('shows the whole initial list that meets it, and nothing after it', async () => {
    const pods = stream(added(pod('a', 1, 'Running')), added(pod('b', 1, 'Running')), initialEnd(2)).send(
      deleted(pod('b', 3)),
    );
    const { shown, done, release, end } = bench({ wait: until, overflow, isSlow: true }, ['pods', pods]);
    await settled();
    expect(shown.length).toBe(1);
    await release();
    expect(await done).toBe('until');
    expect(shown).toEqual(['1 ADDED a@1 initial', '2 ADDED b@1 initial', 'synced pods 2']);
    await end();
  });

  it('with a slow reader ends when the reader has taken the deciding event', async () => {
    const pods = stream(added(pod('a', 1)), initialEnd(2));
    const { shown, done, release, end } = bench({ wait: until, overflow, isSlow: true }, ['pods', pods]);
    await settled();
    pods.send(modified(pod('a', 3, 'Running')), deleted(pod('a', 4, 'Running')));
    await settled();
    await release();
    expect(await done).toBe('until');
    expect(shown).toEqual(['1 ADDED a@1 initial', 'synced pods 1', '2 MODIFIED a@3 watch']);
    await end();
  });

  it('ends when each event takes its time to be printed, although nothing follows the deciding one', async () => {
    const pods = stream(added(pod('a', 1)), initialEnd(2));
    const printed: (string | undefined)[] = [];
    const print = async ({ object }: EventEnvelope) => {
      await settled();
      printed.push(object.metadata.resourceVersion);
    };
    const { done, end } = bench({ wait: until, overflow, print }, ['pods', pods]);
    await settled();
    pods.send(modified(pod('a', 3, 'Running')));
    expect(await done).toBe('until');
    expect(printed).toEqual(['1', '3']);
    await end();
  });

  it('does not wait for a type that is slow to come when another one fails', async () => {
    const jobs = stream(added(pod('j', 1)), initialEnd(2));
    const { done, end } = bench({ wait: { failIf: [phase('Failed')] }, overflow }, ['pods', stream()], ['jobs', jobs]);
    await settled();
    jobs.send(modified(pod('j', 3, 'Failed')));
    expect(await done).toBe('fail-if');
    await end();
  });

  it('ends at a failure without the initial lists of later types, behind those before it', async () => {
    const list = (name: string, phase?: string) => stream(added(pod(name, 1, phase)), initialEnd(2));
    const { shown, done, end } = bench(
      { wait: { failIf: [phase('Failed')] }, overflow },
      ['pods', list('p')],
      ['jobs', list('j', 'Failed')],
      ['maps', stream()],
    );
    expect(await done).toBe('fail-if');
    expect(shown).toEqual(['1 ADDED p@1 initial', 'synced pods 1', '2 ADDED j@1 initial', 'synced jobs 1']);
    await end();
  });

  it('shows the initial lists of all types when all objects have met it', async () => {
    const list = (name: string) => stream(added(pod(name, 1, 'Running')), initialEnd(2));
    const { shown, done, end } = bench({ wait: until, overflow }, ['pods', list('p')], ['jobs', list('j')]);
    expect(await done).toBe('until');
    expect(shown).toEqual(['1 ADDED p@1 initial', 'synced pods 1', '2 ADDED j@1 initial', 'synced jobs 1']);
    await end();
  });

  it('ends when it has stayed', async () => {
    const pods = stream(added(pod('a', 1, 'Running')), initialEnd(2));
    const { shown, done, clock, end } = bench({ wait: { ...until, staysMs: 5000 }, overflow }, ['pods', pods]);
    await settled();
    pods.send(modified(pod('a', 3, 'Running')));
    await clock.advance(5000);
    expect(await done).toBe('until');
    expect(shown.at(-1)).toBe('2 MODIFIED a@3 watch');
    await end();
  });

  it('gets changes that the filters hide', async () => {
    const pods = stream(added(pod('a', 1)), initialEnd(2)).send(modified(pod('a', 3, 'Running')));
    const gate = createFilterGate({ clock: new FakeClock(), conditions: [phase('Failed')] });
    const { shown, done, end } = bench({ wait: until, overflow, gate }, ['pods', pods]);
    expect(await done).toBe('until');
    expect(shown).toEqual(['synced pods 1']);
    await end();
  });
});

test('a loss is reported when it starts and counted as it happens, whatever the reader does', async () => {
  const pods = stream(added(pod('a', 1)), initialEnd(2));
  const summary = new StreamSummary();
  const begun: string[] = [];
  const onLosing = (how: Loss['how']) => begun.push(how);
  const gate = createFilterGate({
    clock: new FakeClock(),
    conditions: [
      { source: 'x', readsEvent: true, test: ({ object }) => phaseOf(object) !== 'Bad' || new Error('bad') },
    ],
  });
  const { shown, end, release } = bench(
    { overflow: { policy: 'drop', limit: 1 }, isSlow: true, summary, onLosing, gate },
    ['pods', pods],
  );
  await settled();
  for (let version = 3; version < 8; version++) pods.send(modified(pod('a', version)));
  pods.send(modified(pod('a', 9, 'Bad')));
  await settled();
  expect([begun, summary.losses.dropped, shown]).toEqual([['dropped'], 4, ['1 ADDED a@1 initial']]);
  await release();
  pods.send(modified(pod('a', 10)));
  await settled();
  await end();
  expect([begun, shown.slice(1)]).toEqual([
    ['dropped'],
    ['synced pods 1', '2 MODIFIED a@3 watch', '{"how":"dropped","events":4}', '3 MODIFIED a@10 watch'],
  ]);
  expect(summary.losses).toEqual({ dropped: 4, coalesced: 0, unshown: 0, expressionErrors: 1, unprintable: 0 });
});

test('an error of a printer behind an outlet ends the stream', async () => {
  const pods = stream(added(pod('a', 1)), initialEnd(2));
  const print = () => {
    throw new Error('no such field');
  };
  const { done, end } = bench({ overflow: { policy: 'drop' }, print }, ['pods', pods]);
  await expect(done).rejects.toThrow('no such field');
  await end().catch(() => {});
});

test('leaves no handler behind', async () => {
  const clock = new FakeClock();
  const { target, stop } = running('pods', clock, stream(initialEnd(2)));
  const ending = new AbortController();
  const waiter = new Waiter({ until: [phase('Running')] }, { clock, targets: [target] });
  const enveloper = new Enveloper({ clock, redactor: new Redactor() });
  const done = streamEvents({ targets: [target], enveloper, waiter, print: () => {} }, ending.signal);
  await settled();
  expect(target.informer.handlerCount).toBe(2);
  ending.abort();
  expect(await done).toBeUndefined();
  expect(target.informer.handlerCount).toBe(0);
  await stop();
});
