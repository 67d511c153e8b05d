import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { UnknownObject } from '../../src/model/object.ts';
import { compileSameBut } from '../../src/stream/changes/path-mask.ts';
import type { CompiledCondition, EventVariables } from '../../src/stream/conditions/condition.ts';
import type { ObjectChange } from '../../src/stream/envelope.ts';
import { createFilterGate, type FilterGate, type GateRules, type GateTarget } from '../../src/stream/filter-gate.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';

const PODS: GateTarget = { type: { gvr: { group: '', version: 'v1', resource: 'pods' } } };

const pod = (
  phase: string,
  more: { name?: string; uid?: string; labels?: Record<string, string> } = {},
): UnknownObject => {
  const { name = 'web', ...metadata } = more;
  return { metadata: { name, namespace: 'shop', ...metadata }, status: { phase } };
};
const phaseOf = (object: unknown) => (object as { status?: { phase?: string } } | null)?.status?.phase;

const added = (object: UnknownObject, cause: ObjectChange['cause'] = 'watch'): ObjectChange => ({
  type: 'added',
  object,
  cause,
});
const updated = (oldObject: UnknownObject, object: UnknownObject, more: Partial<ObjectChange> = {}): ObjectChange => ({
  type: 'updated',
  object,
  oldObject,
  cause: 'watch',
  ...more,
});
const deleted = (object: UnknownObject): ObjectChange => ({ type: 'deleted', object, cause: 'watch' });

const about = (
  source: string,
  test: (variables: EventVariables) => boolean | Error,
  readsEvent = false,
): CompiledCondition => ({
  source,
  readsEvent,
  test: (variables) => test(variables as EventVariables),
});
const running = about('running', ({ object }) => phaseOf(object) === 'Running');

const gateOf = (rules: Partial<GateRules>): FilterGate => createFilterGate({ clock: new FakeClock(), ...rules });
const line = (change: ObjectChange | undefined) =>
  change ? `${change.type} ${phaseOf(change.object)} ${change.cause}` : '-';
const through = (gate: FilterGate, ...changes: ObjectChange[]) =>
  changes.map((change) => line(gate.pass(change, PODS)));

it('lets everything through without rules, as it is', () => {
  const change = updated(pod('Pending'), pod('Running'), { uidChanged: true });
  expect(gateOf({}).pass(change, PODS)).toBe(change);
});

it('leaves out updates that are noise when so asked, and nothing else', () => {
  const [one, two, three] = ['1', '2', '3'].map((resourceVersion) => ({
    ...pod('Running'),
    metadata: { name: 'web', namespace: 'shop', resourceVersion },
  })) as [UnknownObject, UnknownObject, UnknownObject];
  const other = { ...three, status: { phase: 'Failed' } };
  const changes = [added(one), updated(one, two), updated(two, other), deleted(other)];
  const all = ['added Running watch', 'updated Running watch', 'updated Failed watch', 'deleted Failed watch'];
  expect(through(gateOf({}), ...changes)).toEqual(all);
  expect(through(gateOf({ noNoise: true }), ...changes)).toEqual(all.with(1, '-'));
});

describe('a condition about the object', () => {
  test('shows an object that starts to match as added, and one that stops as deleted', () => {
    const [pending, run, failed] = [pod('Pending'), pod('Running'), pod('Failed')];
    const changes = [
      added(pending, 'initial'),
      updated(pending, run),
      updated(run, run),
      updated(run, failed),
      deleted(failed),
    ];
    expect(through(gateOf({ conditions: [running] }), ...changes)).toEqual([
      '-',
      'added Running filter',
      'updated Running watch',
      'deleted Failed filter',
      '-',
    ]);
  });

  test('shows a leaving object in the state in which it left, and has the one before at hand', () => {
    const gate = gateOf({ conditions: [running] });
    const [run, failed] = [pod('Running'), pod('Failed')];
    gate.pass(added(run), PODS);
    expect(gate.pass(updated(run, failed), PODS)).toEqual({
      type: 'deleted',
      object: failed,
      oldObject: run,
      cause: 'filter',
    });
  });

  test('shows the deletion of an object that was shown, and of no other', () => {
    expect(
      through(
        gateOf({ conditions: [running] }),
        added(pod('Running')),
        deleted(pod('Running')),
        deleted(pod('Running')),
      ),
    ).toEqual(['added Running watch', 'deleted Running watch', '-']);
  });

  test('that depends on the time shows the deletion of each object it showed, whatever the old state would give now', () => {
    const clock = new FakeClock();
    const start = clock.now();
    const young = about('young', ({ now }) => now.getTime() - start < 1000);
    const gate = createFilterGate({ clock, conditions: [young] });
    const seen = through(gate, added(pod('Pending')));
    clock.tick(2000);
    seen.push(...through(gate, updated(pod('Pending'), pod('Running')), deleted(pod('Running'))));
    expect(seen).toEqual(['added Pending watch', 'deleted Running filter', '-']);
  });

  test('is judged for each part of a replacement', () => {
    const replaced = (from: string, to: string) =>
      updated(pod(from, { uid: '1' }), pod(to, { uid: '2' }), { cause: 'relist', uidChanged: true });
    const gate = () => gateOf({ conditions: [running] });
    expect(through(gate(), added(pod('Running')), replaced('Running', 'Pending'))[1]).toBe('deleted Running relist');
    expect(through(gate(), added(pod('Pending')), replaced('Pending', 'Running'))[1]).toBe('added Running relist');
    expect(through(gate(), added(pod('Running')), replaced('Running', 'Running'))[1]).toBe('updated Running relist');
    expect(through(gate(), added(pod('Pending')), replaced('Pending', 'Failed'))[1]).toBe('-');
  });

  test('is remembered type by type', () => {
    const gate = gateOf({ conditions: [running] });
    const other: GateTarget = { type: { gvr: { group: 'x', version: 'v1', resource: 'pods' } } };
    gate.pass(added(pod('Running')), PODS);
    expect(gate.pass(deleted(pod('Running')), other)).toBeUndefined();
  });
});

describe('a condition about the event', () => {
  const started = about(
    'started',
    ({ object, oldObject }) => phaseOf(object) === 'Running' && phaseOf(oldObject) === 'Pending',
    true,
  );

  test('shows the events for which it holds, as they are', () => {
    const changes = [
      added(pod('Running')),
      updated(pod('Pending'), pod('Running')),
      updated(pod('Running'), pod('Failed')),
    ];
    expect(through(gateOf({ conditions: [started] }), ...changes)).toEqual(['-', 'updated Running watch', '-']);
  });

  test('sees the type, null as the state before an addition, and the last known one of a deletion', () => {
    const seen: unknown[] = [];
    const spy = about('spy', ({ event, oldObject }) => seen.push([event, phaseOf(oldObject)]) > 0, true);
    through(gateOf({ conditions: [spy] }), added(pod('A')), updated(pod('A'), pod('B')), deleted(pod('B')));
    expect(seen).toEqual([
      ['ADDED', undefined],
      ['MODIFIED', 'A'],
      ['DELETED', 'B'],
    ]);
  });

  test('hides events without an effect on which objects belong to the stream', () => {
    const noUpdates = about('no updates', ({ event }) => event !== 'MODIFIED', true);
    const gate = gateOf({ conditions: [running, noUpdates] });
    const changes = [added(pod('Pending')), updated(pod('Pending'), pod('Running')), deleted(pod('Running'))];
    expect(through(gate, ...changes)).toEqual(['-', '-', 'deleted Running watch']);
  });

  test('is asked about both parts of a replacement', () => {
    const gone = about('gone', ({ event }) => event === 'DELETED', true);
    const change = updated(pod('A', { uid: '1' }), pod('B', { uid: '2' }), { uidChanged: true });
    expect(through(gateOf({ conditions: [gone] }), change)).toEqual(['deleted A relist']);
  });
});

test('a condition whose evaluation fails does not hold; it is reported once and counted every time', () => {
  const told: string[] = [];
  const broken = about('1/0', () => new Error('division by zero'));
  const gate = gateOf({
    conditions: [broken],
    onError: (error, { source }) => told.push(`${source}: ${error.message}`),
  });
  expect(through(gate, added(pod('A')), updated(pod('A'), pod('B')))).toEqual(['-', '-']);
  expect([told, gate.errors]).toEqual([['1/0: division by zero'], 2]);
});

test('--watch-only hides the initial list but remembers it', () => {
  const gate = gateOf({ watchOnly: true, conditions: [running] });
  const changes = [
    added(pod('Running'), 'initial'),
    updated(pod('Running'), pod('Running')),
    updated(pod('Running'), pod('Failed')),
  ];
  expect(through(gate, ...changes)).toEqual(['-', 'updated Running watch', 'deleted Failed filter']);
});

test('names are selected by list, by pattern, and by exclusion', () => {
  const shown = (rules: Partial<GateRules>, names?: string[]) =>
    ['web-1', 'web-2', 'db-1'].filter((name) =>
      gateOf(rules).pass(added(pod('A', { name })), { ...PODS, names: names ? new Set(names) : undefined }),
    );
  expect(shown({ name: /^web/ })).toEqual(['web-1', 'web-2']);
  expect(shown({ excludeName: /1$/ })).toEqual(['web-2']);
  expect(shown({ name: /1$/, excludeName: /^db/ })).toEqual(['web-1']);
  expect(shown({}, ['db-1'])).toEqual(['db-1']);
});

test('--on picks events as they are shown, and each part of a replacement', () => {
  const on = new Set(['ADDED'] as const);
  const replaced = updated(pod('A', { uid: '1' }), pod('B', { uid: '2' }), { cause: 'relist', uidChanged: true });
  expect(through(gateOf({ on }), added(pod('A')), updated(pod('A'), pod('B')), deleted(pod('B')), replaced)).toEqual([
    'added A watch',
    '-',
    '-',
    'added B relist',
  ]);
  expect(through(gateOf({ on, conditions: [running] }), updated(pod('A'), pod('Running')))).toEqual([
    'added Running filter',
  ]);
});

describe('rules about what an update changed', () => {
  const [before, after] = [pod('A', { labels: { app: 'web' } }), pod('B', { labels: { app: 'web' } })];
  const relabelled = pod('B', { labels: { app: 'shop' } });

  test.each<[string, Partial<GateRules>, boolean, boolean]>([
    ['--predicate status', { predicates: ['status'] }, true, false],
    ['--predicate labels', { predicates: ['labels'] }, false, true],
    ['several predicates: any', { predicates: ['labels', 'status'] }, true, true],
    ['--changed .status.phase', { changed: [(o) => [phaseOf(o)]] }, true, false],
    ['--changed of several: any', { changed: [(o) => [phaseOf(o)], (o) => [o.metadata.labels]] }, true, true],
    ['--ignore-changes .status', { sameBut: compileSameBut(['.status']) }, false, true],
    ['both', { changed: [(o) => [phaseOf(o)]], sameBut: compileSameBut(['.status']) }, false, false],
  ])('%s', (_, rules, showsPhase, showsLabels) => {
    const gate = gateOf(rules);
    expect(gate.pass(updated(before, after), PODS) !== undefined).toBe(showsPhase);
    expect(gate.pass(updated(after, relabelled), PODS) !== undefined).toBe(showsLabels);
    expect(gate.pass(updated(after, after, { cause: 'resync' }), PODS)).toBeUndefined();
  });

  test('take an object that is nested too deep to be compared for changed', () => {
    const deep = (value: number) => {
      let at: unknown = value;
      for (let i = 0; i < 5000; i++) at = { at };
      return { ...pod('A'), spec: at } as typeof before;
    };
    for (const rules of [{ noNoise: true }, { sameBut: compileSameBut(['.status']) }] as Partial<GateRules>[]) {
      const gate = gateOf(rules);
      expect(gate.pass(updated(deep(1), deep(1)), PODS)).toBeDefined();
      expect(gate.pass(updated(pod('A'), deep(1)), PODS)).toBeDefined();
      expect(gate.pass(updated(deep(1), pod('A')), PODS)).toBeDefined();
    }
  });

  test('let additions and deletions through, also those by a filter', () => {
    const gate = gateOf({ conditions: [running], predicates: ['labels'], changed: [(o) => [o.spec]], noNoise: true });
    const [pending, run] = [pod('Pending'), pod('Running')];
    expect(
      through(gate, added(run), updated(run, pending), updated(pending, run), updated(run, run), deleted(run)),
    ).toEqual(['added Running watch', 'deleted Pending filter', 'added Running filter', '-', 'deleted Running watch']);
  });
});

describe('for any sequence of changes', () => {
  type Step = { readonly key: number; readonly to: number | 'gone'; readonly replaced: boolean };
  const steps = fc.array(
    fc.record({
      key: fc.nat(2),
      to: fc.oneof({ weight: 4, arbitrary: fc.nat(5) }, fc.constant('gone' as const)),
      replaced: fc.boolean(),
    }),
    { maxLength: 60 },
  );

  /** The notifications of an informer for these steps, and the objects at the end. */
  function changesOf(all: readonly Step[]) {
    const cache = new Map<number, UnknownObject>();
    const changes: ObjectChange[] = [];
    for (const [at, { key, to, replaced }] of all.entries()) {
      const old = cache.get(key);
      if (to === 'gone') {
        if (old) changes.push(deleted(old));
        cache.delete(key);
        continue;
      }
      const uid = old && !replaced ? (old.metadata.uid as string) : `u${at}`;
      const object = pod(`p${to}`, { name: `n${key}`, uid });
      changes.push(
        old ? updated(old, object, { uidChanged: replaced, cause: replaced ? 'relist' : 'watch' }) : added(object),
      );
      cache.set(key, object);
    }
    return { changes, cache };
  }

  it('the events of an object are ADDED, MODIFIED …, DELETED, and the objects shown at the end are those that match', () => {
    fc.assert(
      fc.property(steps, fc.uniqueArray(fc.nat(5)), (all, matching) => {
        const matches = (object: unknown) => matching.some((n) => phaseOf(object) === `p${n}`);
        const gate = gateOf({ conditions: [about('member', ({ object }) => matches(object))] });
        const { changes, cache } = changesOf(all);
        const shown = new Map<string, UnknownObject>();
        for (const change of changes) {
          const passed = gate.pass(change, PODS);
          if (!passed) continue;
          const name = passed.object.metadata.name as string;
          expect(shown.has(name)).toBe(passed.type !== 'added');
          if (passed.type === 'deleted') shown.delete(name);
          else shown.set(name, passed.object as UnknownObject);
        }
        const expected = [...cache.values()].filter(matches);
        expect([...shown.values()].sort(byName)).toEqual(expected.sort(byName));
      }),
    );
  });

  const byName = (a: UnknownObject, b: UnknownObject) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1);
});

it('distinguishes an object that left the filter from a deleted one: --on has a word for each', () => {
  const changes = [
    added(pod('Running')),
    updated(pod('Running'), pod('Failed')),
    updated(pod('Failed'), pod('Running')),
    deleted(pod('Running')),
  ];
  const only = (...words: ('ADDED' | 'MODIFIED' | 'DELETED' | 'LEFT')[]) =>
    through(gateOf({ conditions: [running], on: new Set(words) }), ...changes);
  expect(only('LEFT')).toEqual(['-', 'deleted Failed filter', '-', '-']);
  expect(only('DELETED')).toEqual(['-', '-', '-', 'deleted Running watch']);
  expect(only('ADDED', 'LEFT')).toEqual(['added Running watch', 'deleted Failed filter', 'added Running filter', '-']);
});

it('takes an update that looks the same in the table for noise, when asked to leave noise out', () => {
  const change = updated(pod('Running'), pod('Running', { labels: { a: 'b' } }));
  expect(through(gateOf({ noNoise: true, looksSame: () => true }), change)).toEqual(['-']);
  expect(through(gateOf({ noNoise: true, looksSame: () => false }), change)).toEqual(['updated Running watch']);
  expect(through(gateOf({ looksSame: () => true }), change)).toEqual(['updated Running watch']);
});

it('names the rule that drops a change: a flag, or the expression that is false', () => {
  const rules: string[] = [];
  const gate = gateOf({
    conditions: [running],
    excludeName: /^db/,
    on: new Set(['ADDED']),
    onDropped: (rule) => rules.push(rule),
  });
  const changes = [
    added(pod('Running', { name: 'db' })),
    added(pod('Pending')),
    updated(pod('Pending'), pod('Failed')),
  ];
  expect(through(gate, ...changes, added(pod('Running')), updated(pod('Running'), pod('Running')))).toEqual([
    '-',
    '-',
    '-',
    'added Running watch',
    '-',
  ]);
  expect(rules).toEqual(['--exclude-name', 'running', 'running', '--on']);
});

it('says which rule about names and objects a state does not meet, and takes one that meets all for a matching object', () => {
  const gate = gateOf({ conditions: [running], name: /^w/, on: new Set(['DELETED']), watchOnly: true });
  expect(gate.unmet(pod('Running', { name: 'db' }), PODS)).toBe('--name');
  expect(gate.unmet(pod('Running'), { ...PODS, names: new Set(['db']) })).toBe('it is not one of the named objects');
  expect(gate.unmet(pod('Pending'), PODS)).toBe('running');
  expect(through(gate, deleted(pod('Pending')))).toEqual(['-']);
  expect(gate.unmet(pod('Running'), PODS)).toBeUndefined();
  expect(through(gate, deleted(pod('Running')))).toEqual(['deleted Running watch']);
});
