import { describe, expect, it } from 'vitest';
import { CauseBook } from '../../../src/controller/history/causes.ts';
import type { ReconcileRequest } from '../../../src/controller/reconciler.ts';
import { createEventSource } from '../../../src/controller/sources/source.ts';
import { Latch } from '../../../src/kit/latch.ts';
import { settled } from '../../../src/testing/fake-clock.ts';
import { added, pod, start, updated } from '../../support/controller.ts';
import { ScriptedSource } from '../../support/scripted-source.ts';

describe('a cause book', () => {
  const changed = {
    cause: { reason: 'updated', source: 'v1/pods', resourceVersion: '2' },
    before: pod('web', '1'),
    isChange: true,
  } as const;
  const resync = { cause: { reason: 'updated', via: 'resync', source: 'v1/pods' }, isChange: false } as const;

  it('returns the causes of a key once, and nothing for another key', () => {
    const book = new CauseBook();
    book.note('shop/web', changed);
    book.note('shop/web', { ...changed, cause: { ...changed.cause, resourceVersion: '3' }, before: pod('web', '2') });
    expect(book.take('shop/other')).toEqual({
      causes: [],
      dropped: 0,
      before: undefined,
      gone: undefined,
      hasChange: false,
    });
    expect(book.take('shop/web')).toEqual({
      causes: [{ reason: 'updated', source: 'v1/pods', resourceVersion: '3', count: 2 }],
      dropped: 0,
      before: pod('web', '1'),
      gone: undefined,
      hasChange: true,
    });
    expect(book.take('shop/web').causes).toEqual([]);
  });

  it('counts a resync as no change, nor causes that are given back', () => {
    const book = new CauseBook();
    book.note('shop/web', resync);
    expect(book.hasChange('shop/web')).toBe(false);
    book.note('shop/web', changed);
    expect(book.hasChange('shop/web')).toBe(true);
    book.note('shop/web', resync);
    expect(book.hasChange('shop/web')).toBe(true);
    const gathered = book.take('shop/web');
    book.giveBack('shop/web', gathered);
    expect([book.hasChange('shop/web'), book.take('shop/web')]).toEqual([false, { ...gathered, hasChange: false }]);
  });

  it('shows the causes of a key without forgetting them', () => {
    const book = new CauseBook();
    book.note('shop/web', changed);
    book.note('shop/web', resync);
    const shown = book.causesOf('shop/web');
    expect(shown.map((cause) => cause.via)).toEqual([undefined, 'resync']);
    expect(book.take('shop/web').causes).toEqual(shown);
    expect(book.causesOf('shop/web')).toEqual([]);
  });

  it('has what is given back before what has gathered since, and counts a cause of both together', () => {
    const book = new CauseBook();
    const of = (source: string) => ({ cause: { reason: 'updated', source }, isChange: true }) as const;
    for (const source of ['a', 'b']) book.note('shop/web', of(source));
    const gathered = book.take('shop/web');
    for (const source of ['c', 'a']) book.note('shop/web', of(source));
    book.giveBack('shop/web', gathered);
    expect(book.take('shop/web').causes.map(({ source, count }) => [source, count])).toEqual([
      ['a', 2],
      ['b', 1],
      ['c', 1],
    ]);
  });

  it('has the earlier of two states before, and the later of two after a deletion, when something is given back', () => {
    const book = new CauseBook();
    const of = (before: string | undefined, gone?: string) =>
      ({
        ...changed,
        before: before === undefined ? undefined : pod('web', before),
        ...(gone && { gone: pod('web', gone) }),
      }) as const;
    const givenBack = (first: ReturnType<typeof of>, second: ReturnType<typeof of>) => {
      book.note('shop/web', first);
      const gathered = book.take('shop/web');
      book.note('shop/web', second);
      book.giveBack('shop/web', gathered);
      const { before, gone } = book.take('shop/web');
      return [before, gone].map((object) => object?.metadata.resourceVersion);
    };
    expect(givenBack(of('1', '2'), of('3', '4'))).toEqual(['1', '4']);
    expect(givenBack(of(undefined, '2'), of('3'))).toEqual(['3', '2']);
    expect(givenBack(of('1'), of(undefined))).toEqual(['1', undefined]);
  });

  it('forgets one key, or all', () => {
    const book = new CauseBook();
    for (const key of ['a/a', 'b/b', 'c/c']) book.note(key, changed);
    book.forget('a/a');
    expect(['a/a', 'b/b'].map((key) => book.take(key).causes.length)).toEqual([0, 1]);
    book.clear();
    expect(book.take('c/c').causes).toEqual([]);
  });
});

describe('causes', () => {
  it('events of a waiting key are combined for its one run', async () => {
    const hold = new Latch();
    const requests: ReconcileRequest[] = [];
    const reconcile = (request: ReconcileRequest) => {
      requests.push(request);
      return request.name === 'blocker' ? hold.wait() : undefined;
    };
    const { events } = await start({ reconcile });
    events.emit(added('blocker'));
    for (const [from, to] of ['12', '23', '34']) events.emit(updated('web', from as string, to as string));
    events.emit({
      type: 'deleted',
      key: 'shop/web',
      object: pod('web', '5'),
      cause: 'relist',
      finalStateUnknown: true,
    });
    hold.open();
    await settled();
    expect(requests).toHaveLength(2);
    expect(requests[1]).toMatchObject({
      namespace: 'shop',
      name: 'web',
      before: pod('web', '1'),
      gone: pod('web', '5'),
      droppedCauses: 0,
      causes: [
        { reason: 'updated', via: 'watch', source: 'v1/pods', resourceVersion: '4', count: 3 },
        { reason: 'deleted', via: 'relist', source: 'v1/pods', resourceVersion: '5', count: 1 },
      ],
    });
  });

  it('a failed run passes its causes and the earlier state on to the next run', async () => {
    const requests: ReconcileRequest[] = [];
    const reconcile = (request: ReconcileRequest) => {
      requests.push(request);
      if (requests.length === 1) throw new Error('not yet');
    };
    const { clock, events } = await start({ reconcile });
    events.emit(updated('web', '1', '2'));
    await settled();
    events.emit(updated('web', '2', '3'));
    await clock.advance(1000);
    expect(requests).toHaveLength(2);
    expect(requests[1]).toMatchObject({
      before: pod('web', '1'),
      causes: [{ reason: 'updated', count: 2, resourceVersion: '3' }],
    });
  });

  it('a failed run passes on its number of dropped causes and the last state of a deleted object; later causes follow', async () => {
    const requests: ReconcileRequest[] = [];
    const reconcile = (request: ReconcileRequest) => {
      requests.push(request);
      if (requests.length < 3) throw new Error('not yet');
    };
    const { clock, events, controller } = await start({ reconcile });
    const services = new ScriptedSource();
    controller.watch(createEventSource(services, { name: 'v1/services', enqueue: () => ['shop/web'] }));
    events.emit({ type: 'deleted', key: 'shop/web', object: pod('web', '5'), cause: 'watch' });
    for (let i = 0; i < 20; i++) services.emit(added(`svc${i}`));
    await settled();
    // the events came while the first run began
    expect(requests).toMatchObject(Array(2).fill({ gone: pod('web', '5'), droppedCauses: 5 }));
    services.emit(added('late'));
    await clock.advance(1000);
    expect(requests[2]).toMatchObject({ gone: pod('web', '5'), droppedCauses: 6 });
    expect(requests[2]?.causes).toEqual(requests[0]?.causes);
  });

  it('of another object name it, and carry none of its states', async () => {
    const requests: ReconcileRequest[] = [];
    const { controller } = await start({ reconcile: (request) => void requests.push(request) });
    const services = new ScriptedSource();
    controller.watch(
      createEventSource(services, { name: 'v1/services', isPrimary: true, enqueue: () => ['shop/web'] }),
    );
    const own = new ScriptedSource();
    controller.watch(createEventSource(own, { name: 'v1/endpoints' }));
    services.emit(updated('front', '1', '2'));
    await settled();
    services.emit({ type: 'deleted', key: 'shop/front', object: pod('front', '3'), cause: 'watch' });
    await settled();
    own.emit({ type: 'deleted', key: 'shop/web', object: pod('web', '9'), cause: 'watch' });
    await settled();
    expect(requests.map(({ before, gone }) => [before, gone])).toEqual(Array(3).fill([undefined, undefined]));
    expect(requests.map(({ causes }) => causes[0]?.key)).toEqual(['shop/front', 'shop/front', 'shop/web']);
  });

  it('are kept for the next run with keepCauses', async () => {
    const requests: ReconcileRequest[] = [];
    const reconcile = (request: ReconcileRequest) => {
      requests.push(request);
      return requests.length < 3 ? { requeueAfterMs: 10, keepCauses: requests.length === 1 } : {};
    };
    const { clock, events } = await start({ reconcile });
    events.emit(updated('web', '1', '2'));
    await clock.advance(100);
    expect(requests.map(({ causes }) => causes.map((c) => c.reason))).toEqual([['updated'], ['updated'], ['requeue']]);
    expect(requests.map(({ before }) => before?.metadata.resourceVersion)).toEqual(['1', '1', undefined]);
  });

  it('are limited; the others are counted', async () => {
    const hold = new Latch();
    const requests: ReconcileRequest[] = [];
    const reconcile = (request: ReconcileRequest) => {
      requests.push(request);
      return request.name === 'blocker' ? hold.wait() : undefined;
    };
    const { events, controller } = await start({ reconcile });
    events.emit(added('blocker'));
    const services = new ScriptedSource();
    controller.watch(createEventSource(services, { name: 'v1/services', enqueue: () => ['shop/web'] }));
    for (let i = 0; i < 40; i++) services.emit(added(`svc${i}`));
    hold.open();
    await settled();
    expect(requests[1]?.causes).toHaveLength(16);
    expect(requests[1]?.droppedCauses).toBe(24);
  });
});
