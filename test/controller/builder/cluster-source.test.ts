import { expect, it } from 'vitest';
import { clusterSource } from '../../../src/controller/builder/cluster-source.ts';
import type { CauseNote } from '../../../src/controller/history/causes.ts';
import type { SkippedEvent } from '../../../src/controller/history/trail.ts';
import type { ResourceEvent } from '../../../src/controller/resource-event.ts';
import type { Source, SourceContext } from '../../../src/controller/sources/source.ts';
import { surroundingsOf, withSurroundings } from '../../../src/kit/surroundings.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

const event: ResourceEvent = { type: 'added', key: 'shop/a', object: undefined, cause: 'watch' };
const note: CauseNote = { cause: { reason: 'added', source: 'pods', key: 'shop/a' }, isChange: true, event };

async function started(start: Source['start'], more: Partial<Source> = {}) {
  const source = clusterSource('eu', withSurroundings<Source>({ name: 'pods', start, ...more }, { clock }));
  const [emitted, skips]: [unknown[], SkippedEvent[]] = [[], []];
  const { signal } = new AbortController();
  const context = { signal, clock, skipped: (skip: SkippedEvent) => void skips.push(skip) };
  await source.start((...of) => void emitted.push(of), context as unknown as SourceContext);
  return { source, emitted, skips, signal };
}
const clock = new FakeClock();

it('a source of a cluster emits the keys of that cluster, and its notes name them too', async () => {
  const { emitted } = await started(async (emit) => {
    emit('shop/a', { ...note, keys: ['shop/a', 'node'] }, 7);
    emit('us/shop/a', note, 0);
  });
  expect(emitted).toEqual([
    ['eu/shop/a', { ...note, keys: ['eu/shop/a', 'eu//node'] }, 7],
    ['us/shop/a', { ...note, keys: undefined }, 0],
  ]);
});

it('an event that a source of a cluster skips has the keys of that cluster, and leads to them if it leads to any', async () => {
  const skip: SkippedEvent = { origin: note.cause, event, why: 'predicate', by: 'a rule' };
  const { skips } = await started(async (_, { skipped }) => {
    skipped({ ...skip, leadsTo: () => ['shop/b'] });
    skipped(skip);
  });
  expect(skips.map(({ leadsTo, ...rest }) => ({ ...rest, keys: leadsTo && [...leadsTo()] }))).toEqual([
    { ...skip, event: { ...event, key: 'eu/shop/a' }, keys: ['eu/shop/b'] },
    { ...skip, event: { ...event, key: 'eu/shop/a' }, keys: undefined },
  ]);
});

it('a source of a cluster ends with the signal, rejects, reads and has trouble as the source that it is made of', async () => {
  const signals: AbortSignal[] = [];
  const reads: Source['reads'] = [];
  const { source, signal } = await started(async (_, context) => void signals.push(context.signal), {
    reads,
    trouble: () => 'late',
  });
  expect([source.name, source.reads, source.trouble?.()]).toEqual(['pods', reads, 'late']);
  expect(signals).toEqual([signal]);
  expect(surroundingsOf(source).clock).toBe(clock);
  const failing = async () => Promise.reject(new Error('no list'));
  await expect(started(failing)).rejects.toThrow('no list');
  expect((await started(async () => {})).source.trouble?.()).toBeUndefined();
});
