import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EventRecorder, type EventRecorderOptions } from '../../../src/controller/events/event-recorder.ts';
import { createLogger } from '../../../src/kit/logger.ts';
import { surroundingsOf } from '../../../src/kit/surroundings.ts';
import { parseGvr } from '../../../src/model/gvr.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import type { FaultRule } from '../../../src/sandbox/index.ts';
import { settled } from '../../../src/testing/fake-clock.ts';
import { type InProcess, inProcess } from '../../support/in-process.ts';

const EVENTS = parseGvr('v1/events');
const WEB = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', uid: 'u1', resourceVersion: '7' },
};
const NODE = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', uid: 'u2' } };
let world: InProcess;

beforeEach(async () => {
  world = await inProcess({ objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }] });
});
afterEach(() => world.sandbox.stop());

/** The levels of what was logged. */
const levels: string[] = [];

function setup(options: Partial<EventRecorderOptions> = {}) {
  const { client, clock, sandbox, sent } = world;
  const logged: string[] = [];
  levels.length = 0;
  const logger = createLogger((level, message, { why, error }) => {
    levels.push(level);
    logged.push(`${message}: ${why ?? error}`);
  });
  const recorder = new EventRecorder(client, { component: 'tester', clock, random: () => 0.5, logger, ...options });
  const stored = (): UnknownObject[] => sandbox.list(EVENTS).sort((a, b) => text(a).localeCompare(text(b)));
  const text = ({ metadata: { name = '' } }: UnknownObject) => name;
  const methods = () => sent.splice(0).map(({ method }) => method);
  const fails = (fault: FaultRule['fault'], rule: Partial<FaultRule> = {}) =>
    void sandbox.faults.add({ fault, match: { path: /events/ }, ...rule });
  return { recorder, clock, sandbox, stored, methods, logged, fails };
}

describe('an Event', () => {
  it('is written to the namespace of its object, with all that describe shows', async () => {
    const { recorder, stored } = setup({ host: 'n1' });
    const options = { annotations: { why: 'not' }, fieldPath: 'spec.replicas' };
    recorder.event(WEB, 'Warning', 'Broken', 'it is broken', options);
    await recorder.flush();
    const at = '2026-01-01T00:00:00Z';
    expect(stored()).toEqual([
      expect.objectContaining({
        metadata: expect.objectContaining({
          name: 'web.18867251edfa0000',
          namespace: 'shop',
          annotations: { why: 'not' },
        }),
        involvedObject: { apiVersion: 'apps/v1', kind: 'Deployment', ...WEB.metadata, fieldPath: 'spec.replicas' },
        ...{ type: 'Warning', reason: 'Broken', message: 'it is broken', count: 1 },
        ...{ source: { component: 'tester', host: 'n1' }, reportingComponent: 'tester', reportingInstance: 'n1' },
        ...{ firstTimestamp: at, lastTimestamp: at },
      }),
    ]);
    expect(recorder.counts).toEqual({ written: 1, skipped: 0, dropped: 0, failed: 0 });
  });

  it('of a cluster-scoped object is written to the namespace default', async () => {
    const { recorder, stored } = setup();
    recorder.event(NODE, 'Normal', 'Seen', 'm');
    await recorder.flush();
    expect(stored()).toMatchObject([
      { metadata: { namespace: 'default' }, involvedObject: { kind: 'Node', name: 'n1' } },
    ]);
  });

  it('that repeats is counted on the first one by a PATCH [EVT-01]', async () => {
    const { recorder, stored, methods, clock } = setup();
    for (let i = 0; i < 11; i++) {
      recorder.event(WEB, 'Normal', 'Seen', 'm');
      await recorder.flush();
      await clock.advance(30_000);
    }
    expect(methods()).toEqual(['POST', ...Array(10).fill('PATCH')]);
    expect(stored()).toMatchObject([
      { count: 11, message: 'm', firstTimestamp: '2026-01-01T00:00:00Z', lastTimestamp: '2026-01-01T00:05:00Z' },
    ]);
  });

  it('with the tenth different message is combined with later ones [EVT-02]', async () => {
    const { recorder, stored } = setup();
    for (let i = 1; i <= 12; i++) recorder.event(WEB, 'Normal', 'Seen', `m${i}`);
    await recorder.flush();
    expect(stored().map(({ message, count }) => `${message} ×${count}`)).toEqual([
      ...Array.from({ length: 9 }, (_, i) => `m${i + 1} ×1`),
      '(combined from similar events): m12 ×3',
    ]);
  });

  it('is left out after 25 about the same object', async () => {
    const { recorder, methods } = setup();
    for (let i = 0; i < 40; i++) recorder.event(WEB, 'Normal', 'Seen', 'm');
    recorder.event(NODE, 'Normal', 'Seen', 'm');
    await recorder.flush();
    expect(methods()).toHaveLength(26);
    expect(recorder.counts).toEqual({ written: 26, skipped: 15, dropped: 0, failed: 0 });
  });

  it('is named after its object and its moment; of one moment each has another name', async () => {
    const { recorder, stored } = setup();
    for (const message of ['a', 'b', 'c']) recorder.event(WEB, 'Normal', 'Seen', message);
    await recorder.flush();
    expect(stored().map(({ metadata }) => metadata.name)).toEqual(
      [0, 1, 2].map((nanos) => `web.18867251edfa000${nanos}`),
    );
  });

  it('that cannot be counted, because the server refuses the PATCH, is not created a second time', async () => {
    const { recorder, stored, methods, fails } = setup();
    recorder.event(WEB, 'Normal', 'Seen', 'm');
    await recorder.flush();
    fails({ kind: 'status', code: 403 }, { match: { method: 'PATCH' } });
    recorder.event(WEB, 'Normal', 'Seen', 'm');
    await recorder.flush();
    expect([methods(), stored().length]).toEqual([['POST', 'PATCH'], 1]);
  });

  it('that was counted and is gone from the server is created again with its count [EVT-05]', async () => {
    const { recorder, stored, methods, sandbox } = setup();
    recorder.event(WEB, 'Normal', 'Seen', 'm');
    await recorder.flush();
    const [{ metadata } = { metadata: {} }] = stored();
    sandbox.delete(EVENTS, `shop/${metadata.name}`);
    recorder.event(WEB, 'Normal', 'Seen', 'm');
    await recorder.flush();
    expect(methods()).toEqual(['POST', 'PATCH', 'POST']);
    expect(stored()).toMatchObject([{ metadata: { name: metadata.name }, count: 2 }]);
    expect(stored()[0]?.metadata.uid).not.toBe(metadata.uid);
  });

  it.each<[string, object, string, string]>([
    ['a type of its own', WEB, 'Error', 'its type is neither Normal nor Warning'],
    [
      'an object without a kind',
      { ...WEB, kind: undefined },
      'Normal',
      'its object needs apiVersion, kind and metadata.name',
    ],
  ])('with %s is dropped and logged', async (_, object, type, why) => {
    const { recorder, methods, logged } = setup();
    recorder.event(object, type as 'Normal', 'Seen', 'm');
    await recorder.flush();
    expect([methods(), logged]).toEqual([[], [`an Event was dropped: ${why}`]]);
  });
});

describe('an Event that cannot be written', () => {
  it('is not tried again if the server refuses it, and the next one is written [EVT-04]', async () => {
    const { recorder, stored, methods, fails, logged, clock } = setup();
    fails({ kind: 'status', code: 403 }, { times: 1 });
    recorder.event(WEB, 'Normal', 'Seen', 'refused');
    recorder.event(WEB, 'Normal', 'Seen', 'written');
    await recorder.flush();
    expect(methods()).toEqual(['POST', 'POST']);
    expect(stored()).toMatchObject([{ message: 'written' }]);
    expect([logged.length, recorder.counts.failed, clock.pending]).toEqual([1, 1, 0]);
  });

  it('in a namespace that is being deleted is no error', async () => {
    const { recorder, sandbox, logged } = setup();
    const finalizers = ['test/hold'];
    const held = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'held', namespace: 'shop', finalizers } };
    sandbox.apply(held);
    sandbox.delete({ group: '', version: 'v1', resource: 'namespaces' }, 'shop');
    recorder.event(WEB, 'Normal', 'Seen', 'too late');
    await recorder.flush();
    expect([recorder.counts.failed, logged]).toEqual([1, [expect.stringContaining('its namespace is ending')]]);
    expect(levels).toEqual(['debug']);
  });

  it('is not tried again if the request cannot be made [EVT-04]', async () => {
    const { recorder, methods, logged, clock } = setup();
    recorder.event({ ...WEB, metadata: { ...WEB.metadata, namespace: 'a/b' } }, 'Normal', 'Seen', 'm');
    await recorder.flush();
    expect([methods(), clock.pending, recorder.counts.failed]).toEqual([[], 0, 1]);
    expect(logged).toEqual([expect.stringContaining("may not contain '/'")]);
  });

  it('is tried twelve times without a connection: after a random part of 10 s, then each 10 s [EVT-04]', async () => {
    const { recorder, methods, fails, clock, stored } = setup();
    fails({ kind: 'refuse' }, { times: Number.POSITIVE_INFINITY });
    recorder.event(WEB, 'Normal', 'Seen', 'm');
    await settled();
    const tries = [methods().length];
    for (const ms of [4_999, 1, 9_999, 1]) {
      await clock.advance(ms);
      tries.push(methods().length);
    }
    expect(tries).toEqual([1, 0, 1, 0, 1]);
    await clock.advance(3_600_000);
    await recorder.flush();
    expect(methods()).toHaveLength(9);
    expect([stored(), recorder.counts.failed]).toEqual([[], 1]);
  });

  it('is tried twice if the connection fails once [EVT-04]', async () => {
    const { recorder, methods, fails, clock, stored } = setup();
    fails({ kind: 'refuse' }, { times: 1 });
    recorder.event(WEB, 'Normal', 'Seen', 'm');
    await clock.advance(10_000);
    await recorder.flush();
    expect(methods()).toEqual(['POST', 'POST']);
    expect([stored().length, recorder.counts]).toEqual([1, { written: 1, skipped: 0, dropped: 0, failed: 0 }]);
  });
});

it('a full queue drops further Events and does not block the caller [EVT-05]', async () => {
  const { recorder, fails, logged, clock, stored } = setup();
  fails({ kind: 'refuse' }, { times: 1 });
  for (let i = 0; i < 1_201; i++) recorder.event({ ...NODE, metadata: { name: `n${i}` } }, 'Normal', 'Seen', 'm');
  expect(recorder.counts.dropped).toBe(200); // one is being written, 1000 wait
  expect(logged[0]).toBe('an Event was dropped: too many are waiting');
  await clock.advance(10_000);
  await recorder.flush();
  expect([stored().length, recorder.counts.written]).toEqual([1_001, 1_001]);
});

describe('the end', () => {
  it('writes what waits, and drops later Events', async () => {
    const { recorder, stored, logged, clock } = setup();
    for (const name of ['a', 'b', 'c']) recorder.event({ ...NODE, metadata: { name } }, 'Normal', 'Seen', 'm');
    await recorder.close();
    recorder.event(NODE, 'Normal', 'Seen', 'm');
    expect([stored().length, recorder.counts.dropped, clock.pending]).toEqual([3, 1, 0]);
    expect(logged).toEqual(['an Event was dropped: the recorder has ended']);
  });

  it('waits for no further try: what fails then is given up', async () => {
    const { recorder, methods, fails, clock } = setup();
    fails({ kind: 'refuse' }, { times: Number.POSITIVE_INFINITY });
    recorder.event(WEB, 'Normal', 'Seen', 'm');
    recorder.event(NODE, 'Normal', 'Seen', 'm');
    await settled();
    await recorder.close();
    expect(methods()).toHaveLength(3); // the last try of the first one, one of the second
    expect([recorder.counts.failed, clock.pending]).toEqual([2, 0]);
  });

  it('lasts at most flushMs, 5 s by default, also if the server does not answer, and counts what is lost', async () => {
    for (const [most, options] of [[2_000, { flushMs: 2_000 }], [5_000]] as const) {
      const { recorder, fails, clock } = setup(options);
      fails({ kind: 'stall' });
      for (const name of ['a', 'b', 'c']) recorder.event({ ...NODE, metadata: { name } }, 'Normal', 'Seen', 'm');
      let isClosed = false;
      const closing = recorder.close().then(() => {
        isClosed = true;
      });
      await clock.advance(most - 1);
      expect(isClosed).toBe(false);
      await clock.advance(1);
      await closing;
      expect(recorder.counts).toEqual({ written: 0, skipped: 0, dropped: 2, failed: 1 });
    }
  });

  it('comes with the signal of the options, with that of run, and by await using; it leaves no listener', async () => {
    const stop = new AbortController();
    const byOption = setup({ signal: stop.signal });
    byOption.recorder.event(WEB, 'Normal', 'Seen', 'm');
    stop.abort();
    await byOption.recorder.flush();
    expect([byOption.stored().length, getEventListeners(stop.signal, 'abort').length]).toEqual([1, 0]);
    const [byRun, end] = [setup(), new AbortController()];
    const running = byRun.recorder.run(end.signal);
    byRun.recorder.event(NODE, 'Normal', 'Seen', 'm');
    end.abort();
    await running;
    const disposed = setup();
    {
      await using recorder = disposed.recorder;
      recorder.event({ ...NODE, metadata: { name: 'n2' } }, 'Normal', 'Seen', 'm');
    }
    const goesOn = new AbortController();
    await setup({ signal: goesOn.signal }).recorder.close();
    expect(getEventListeners(goesOn.signal, 'abort')).toEqual([]);
    for (const { recorder } of [byOption, byRun, disposed]) {
      recorder.event(NODE, 'Normal', 'Seen', 'm');
      expect(recorder.counts).toMatchObject({ written: 1, dropped: 1 });
    }
  });
});

it('what is made with a recorder has the clock and the logger of the recorder', () => {
  const { recorder, clock } = setup();
  expect(surroundingsOf(recorder).clock).toBe(clock);
});

it('unknown options of an Event are refused', () => {
  const { recorder } = setup();
  expect(() => recorder.event(WEB, 'Normal', 'Seen', 'm', { anotation: {} } as never)).toThrow(
    expect.objectContaining({ code: 'argument' }),
  );
});

it('a recorder without a component is refused', () => {
  expect(() => new EventRecorder(world.client, { component: '' })).toThrow(
    expect.objectContaining({ code: 'argument', message: 'an EventRecorder needs a component' }),
  );
});
