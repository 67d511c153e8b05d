import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { ContinuityEvent } from '../../../src/informer/watch/continuity-ledger.ts';
import type { SyncMode } from '../../../src/informer/watch/list-plan.ts';
import type { CallContext } from '../../../src/informer/watch/lister-watcher.ts';
import { Reflector } from '../../../src/informer/watch/reflector.ts';
import type { ReflectorOptions } from '../../../src/informer/watch/reflector-options.ts';
import type { ReflectorStore } from '../../../src/informer/watch/reflector-store.ts';
import { InformerError } from '../../../src/kit/error.ts';
import { Latch } from '../../../src/kit/latch.ts';
import { createLogger, type LogLevel, silentLogger } from '../../../src/kit/logger.ts';
import { withSurroundings } from '../../../src/kit/surroundings.ts';
import { keyOf } from '../../../src/model/key.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { failure } from '../../../src/model/status.ts';
import { FakeClock, settled } from '../../../src/testing/fake-clock.ts';
import { pod } from '../../support/objects.ts';
import {
  added,
  bookmark,
  deleted,
  errorEvent,
  expired,
  initialEnd,
  internal,
  invalid,
  modified,
  networkError,
  page,
  refuse,
  ScriptedListerWatcher,
  ScriptedStream,
  throttled,
  tooLarge,
  unreachable,
} from '../../support/scripted-events.ts';

/** A store that records every call. */
class RecordingStore implements ReflectorStore<KubeObject> {
  readonly calls: string[] = [];
  readonly objects = new Map<string, KubeObject>();
  readonly versions: string[] = [];

  add(object: KubeObject): void {
    this.#put('add', object);
  }

  update(object: KubeObject): void {
    this.#put('update', object);
  }

  delete(object: KubeObject): void {
    this.calls.push(`delete ${keyOf(object)}`);
    this.objects.delete(keyOf(object));
  }

  replace(objects: readonly KubeObject[], version: string): void {
    this.calls.push(`replace ${objects.length}@${version}`);
    this.objects.clear();
    for (const object of objects) this.objects.set(keyOf(object), object);
  }

  updateResourceVersion(version: string): void {
    this.versions.push(version);
  }

  get state(): string[] {
    return [...this.objects].map(([key, o]) => `${key}@${o.metadata.resourceVersion}`).sort();
  }

  #put(verb: string, object: KubeObject): void {
    this.calls.push(`${verb} ${keyOf(object)}`);
    this.objects.set(keyOf(object), object);
  }
}

interface Bench<S> {
  source: ScriptedListerWatcher<KubeObject>;
  store: S;
  clock: FakeClock;
  reflector: Reflector<KubeObject>;
  errors: unknown[];
  events: ContinuityEvent[];
  logs: { level: LogLevel; message: string }[];
  stop: () => Promise<void>;
  signal: AbortSignal;
  /** The delays so far, ms. */
  sleeps: number[];
}

class CountingClock extends FakeClock {
  readonly sleeps: number[] = [];

  override sleep(ms: number, options?: { signal?: AbortSignal | undefined }): Promise<void> {
    this.sleeps.push(ms);
    return super.sleep(ms, options);
  }
}

function run<S extends ReflectorStore<KubeObject> = RecordingStore>(
  source: ScriptedListerWatcher<KubeObject>,
  { store: given, ...options }: ReflectorOptions & { store?: S } = {},
): Bench<S> {
  const clock = new CountingClock();
  const store = given ?? (new RecordingStore() as unknown as S);
  const errors: unknown[] = [];
  const events: ContinuityEvent[] = [];
  const logs: { level: LogLevel; message: string }[] = [];
  const reflector = new Reflector(source, store, {
    clock,
    random: () => 0,
    name: 'v1/pods',
    onWatchError: (error) => errors.push(error),
    onContinuity: (event) => events.push(event),
    logger: createLogger((level, message) => logs.push({ level, message })),
    ...options,
  });
  const controller = new AbortController();
  const running = reflector.run(controller.signal);
  const stop = async () => {
    controller.abort();
    await running;
  };
  return {
    source,
    store,
    clock,
    reflector,
    errors,
    events,
    logs,
    stop,
    signal: controller.signal,
    sleeps: clock.sleeps,
  };
}

const lw = () => new ScriptedListerWatcher<KubeObject>();
const stream = () => new ScriptedStream<KubeObject>();
const list = { sync: 'list' } as const;

/** A store that records where lists begin to arrive, too. */
class ArrivalStore extends RecordingStore {
  arriving(): void {
    this.calls.push('arriving');
  }
}

it.each(['list', 'stream'] as const)(
  'each %s is announced to the store before its objects, after a failure again',
  async (sync) => {
    const store = new ArrivalStore();
    const source =
      sync === 'list'
        ? lw().onList(refuse(internal()), () => page('7', [pod('a', 1)]))
        : lw().onWatch(refuse(internal()), stream().send(added(pod('a', 1)), initialEnd(7)));
    const { clock, stop } = run(source, { store, sync });
    await clock.advance(60_000);
    expect(store.calls).toEqual(['arriving', 'arriving', 'replace 1@7']);
    await stop();
  },
);

it.each([
  ['warn', 'a lost connection', unreachable(), 'connect ECONNREFUSED'],
  ['warn', 'a server that throttles', refuse(throttled(1)), 'too many requests'],
  ['warn', 'an error of the server', refuse(internal()), 'etcd is having a day'],
  ['info', 'an expired version', stream().send(errorEvent(expired())), 'too old resource version'],
] as const)('logs at the level %s %s of a watch', async (level, _, answer, text) => {
  const source = lw()
    .onList(() => page('7'))
    .onWatch(answer, stream());
  const { clock, logs, stop } = run(source, list);
  await clock.advance(60_000);
  expect(logs.find(({ message }) => message.includes(text))?.level).toBe(level);
  await stop();
});

it.each(['list', 'stream'] as const)(
  'the initial %s is measured: how long it took, and how many objects or events it had',
  async (sync) => {
    const measured: unknown[][] = [];
    const watch = stream();
    const first = Promise.withResolvers<ReturnType<typeof page>>();
    const source =
      sync === 'list'
        ? lw().onList(refuse(internal()), () => first.promise as never)
        : lw().onWatch(refuse(internal()), watch);
    const metrics = { listed: (...args: unknown[]) => measured.push(args) };
    const { clock, stop } = run(source, { sync, metrics });
    await clock.advance(800); // after a failure, it begins again
    await clock.advance(300);
    if (sync === 'list') first.resolve(page('7', [pod('a', 1), pod('b', 2)]));
    else watch.send(added(pod('a', 1)), added(pod('b', 2)), initialEnd(7));
    await settled();
    expect(measured).toEqual([[300, sync === 'list' ? 2 : 3, 'v1/pods']]);
    await stop();
  },
);

it.each([
  ['a change', modified(pod('a', 9)), '9'],
  ['a deletion', deleted(pod('a', 9)), '9'],
  ['a bookmark', bookmark(9), '9'],
  ['a further addition', added(pod('b', 9)), ''],
])(
  'a watch without a version shows its position by %s, and not by the objects that it begins with',
  async (_, event, reached) => {
    const { reflector, stop } = run(
      lw()
        .onList(() => page('', []))
        .onWatch(stream().send(added(pod('a', 5)), event)),
      list,
    );
    await settled();
    expect(reflector.lastSyncResourceVersion).toBe(reached);
    await stop();
  },
);

describe('LIST mode', () => {
  it('first requests any cached state of the server, in pages of 500 [REF-01]', async () => {
    const { source, stop } = run(
      lw().onList(() => page('10')),
      list,
    );
    await settled();
    expect(source.requests[0]).toEqual({ verb: 'list', resourceVersion: '0', limit: 500 });
    await stop();
  });

  it('watches from the version of the list, with bookmarks and a timeout [REF-02]', async () => {
    const { source, stop } = run(
      lw().onList(() => page('1')),
      list,
    );
    await settled();
    expect(source.requests[1]).toEqual({
      verb: 'watch',
      resourceVersion: '1',
      allowWatchBookmarks: true,
      timeoutSeconds: 300,
    });
    await stop();
  });

  it('takes the version of the last event, also when it is a lower number [REF-04]', async () => {
    const watch = stream().send(deleted(pod('foo', undefined)), modified(pod('bar', 55)), added(pod('baz', 32)));
    const { store, reflector, stop } = run(
      lw()
        .onList(() => page('10', [pod('foo', 1), pod('bar', 2)]))
        .onWatch(watch),
      list,
    );
    await settled();
    expect(store.state).toEqual(['bar@55', 'baz@32']);
    expect(reflector.lastSyncResourceVersion).toBe('32');
    await stop();
  });

  it('skips an object of another kind and ignores its version [REF-05]', async () => {
    const other = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x', resourceVersion: '99' } };
    const watch = stream().send(added(other), added(pod('a', 11)));
    const { store, reflector, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(watch),
      {
        ...list,
        expect: { group: '', version: 'v1', kind: 'Pod' },
      },
    );
    await settled();
    expect(store.calls).toEqual(['replace 0@10', 'add a']);
    expect(reflector.lastSyncResourceVersion).toBe('11');
    await stop();
  });

  it('passes the version of every event to the store, in order; a list has its own [REF-07]', async () => {
    const watch = stream().send(added(pod('a', 10)), modified(pod('a', 20)), bookmark(30), deleted(pod('a', 40)));
    const { store, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(watch),
      list,
    );
    await settled();
    expect(store.versions).toEqual(['10', '20', '30', '40']);
    expect(store.calls).toEqual(['replace 0@10', 'add a', 'update a', 'delete a']);
    await stop();
  });

  it('takes the version of a bookmark, and stores no object of it [REF-08]', async () => {
    const { store, reflector, stop } = run(
      lw()
        .onList(() => page('10', [pod('a', 7)]))
        .onWatch(stream().send(bookmark(30))),
      list,
    );
    await settled();
    expect(reflector.lastSyncResourceVersion).toBe('30');
    expect(store.calls).toEqual(['replace 1@10']);
    expect(store.state).toEqual(['a@7']);
    await stop();
  });

  it('relists at the last version [REF-10] [REF-16]', async () => {
    const watch = stream().send(errorEvent(expired()));
    const { source, clock, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(watch),
      list,
    );
    await clock.advance(800);
    expect(source.lists).toEqual([
      { verb: 'list', resourceVersion: '0', limit: 500 },
      { verb: 'list', resourceVersion: '10' },
    ]);
    await stop();
  });

  it.each([
    ['is expired', expired],
    ['is one the server has not reached', tooLarge],
    ['is gone', () => failure(410, 'Gone', 'gone')],
  ])('when the version of a relist %s, lists the most recent state at once [REF-11]', async (_, status) => {
    const answers = lw().onList(
      () => page('10'),
      refuse(status()),
      () => page('50', [pod('a', 40)]),
    );
    const watch = stream().send(errorEvent(expired()));
    const { source, store, clock, errors, sleeps, stop } = run(answers.onWatch(watch), list);
    await clock.advance(800);
    expect(source.trace).toEqual(['list 0', 'watch 10', 'list 10', 'list', 'watch 50']);
    expect(sleeps).toEqual([800]);
    expect(store.state).toEqual(['a@40']);
    expect(errors).toEqual([]);
    await stop();
  });

  it('does not treat a similar text as "too large" [REF-13]', async () => {
    const status = failure(500, 'InternalError', 'Too large resource version');
    const { source, errors, clock, stop } = run(
      lw()
        .onList(() => page('10'), refuse(status))
        .onWatch(stream().send(errorEvent(expired()))),
      list,
    );
    await clock.advance(800);
    expect(source.trace).toEqual(['list 0', 'watch 10', 'list 10']);
    expect(errors).toMatchObject([
      { message: 'failed to list v1/pods: Too large resource version', cause: { status } },
    ]);
    await stop();
  });

  it('lists at the last version again after it got the most recent state [REF-14]', async () => {
    const { source, clock, stop } = run(
      lw()
        .onList(
          () => page('10'),
          refuse(expired()),
          () => page('50'),
          () => page('60'),
        )
        .onWatch(stream().send(errorEvent(expired())), stream().send(errorEvent(expired()))),
      list,
    );
    await clock.advance(800);
    await clock.advance(1600);
    expect(source.lists.map((r) => r.resourceVersion ?? '')).toEqual(['0', '10', '', '50']);
    await stop();
  });

  it('uses a configured page size at every version [REF-15]', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map((name) => pod(name, 1));
    const pages = () => [
      () => page('10', names.slice(0, 4), { continue: 'C1' }),
      () => page('10', names.slice(4, 8), { continue: 'C2' }),
      () => page('10', names.slice(8)),
    ];
    const source = lw()
      .onList(...pages(), ...pages())
      .onWatch(stream().send(errorEvent(expired())));
    const { store, clock, stop } = run(source, { ...list, pageSize: 4 });
    await clock.advance(800);
    expect(source.lists.map((r) => r.limit)).toEqual([4, 4, 4, 4, 4, 4]);
    expect(source.lists.slice(3)).toEqual([
      { verb: 'list', resourceVersion: '10', limit: 4 },
      { verb: 'list', limit: 4, continue: 'C1' },
      { verb: 'list', limit: 4, continue: 'C2' },
    ]);
    expect(store.objects.size).toBe(10);
    await stop();
  });

  it('requests one whole list at the first version when a token expires [REF-19]', async () => {
    const source = lw()
      .onList(
        () => page('10'),
        () => page('10', [pod('a', 1)], { continue: 'C1' }),
        refuse(expired()),
        () => page('12', [pod('a', 1), pod('b', 11)]),
      )
      .onWatch(stream().send(errorEvent(expired())));
    const { store, clock, errors, stop } = run(source, { ...list, pageSize: 4 });
    await clock.advance(800);
    expect(source.lists.map((r) => r.resourceVersion ?? '')).toEqual(['0', '10', '', '10']);
    expect(source.lists.at(-1)).toEqual({ verb: 'list', resourceVersion: '10' });
    expect([store.state, errors]).toEqual([['a@1', 'b@11'], []]);
    await stop();
  });

  it('changes neither the store nor its version when a later page fails [REF-21]', async () => {
    const source = lw()
      .onList(
        () => page('10', [pod('old', 7)]),
        () => page('20', [pod('a', 19)], { continue: 'C1' }),
        refuse(failure(500, 'InternalError', 'no more pages')),
        () => page('20'),
      )
      .onWatch(stream().send(errorEvent(expired())));
    const { store, reflector, clock, errors, stop } = run(source, list);
    await clock.advance(800);
    expect(errors).toMatchObject([{ message: 'failed to list v1/pods: no more pages' }]);
    expect([store.calls, store.state, reflector.lastSyncResourceVersion]).toEqual([['replace 1@10'], ['old@7'], '10']);
    await stop();
  });

  it('watches from the version of the first of several pages [REF-22]', async () => {
    const source = lw().onList(
      () => page('11', [pod('a', 1)], { continue: 'C1' }),
      () => page('11', [pod('b', 2)], { continue: 'C2' }),
      () => page('12', [pod('c', 3)]),
    );
    const { store, reflector, stop } = run(source, list);
    await settled();
    expect(source.trace).toEqual(['list 0', 'list', 'list', 'watch 11']);
    expect([store.calls, reflector.lastSyncResourceVersion]).toEqual([['replace 3@11'], '11']);
    await stop();
  });

  it('pages every relist once a list at version 0 came back in pages', async () => {
    const source = lw()
      .onList(
        () => page('10', [pod('a', 1)], { continue: 'C1' }),
        () => page('10', [pod('b', 1)]),
        () => page('20'),
      )
      .onWatch(stream().send(errorEvent(expired())));
    const { clock, stop } = run(source, list);
    await clock.advance(800);
    expect(source.lists.at(-1)).toEqual({ verb: 'list', resourceVersion: '10', limit: 500 });
    await stop();
  });

  it('wraps the error of a failed list, calls the handler, and starts no watch [REF-23]', async () => {
    const cause = new Error('a list error');
    const { source, errors, stop } = run(
      lw().onList(() => Promise.reject(cause)),
      list,
    );
    await settled();
    expect(errors).toHaveLength(1);
    const [error] = errors as Error[];
    expect(error?.message).toMatch(/^failed to list v1\/pods: a list error/);
    expect(error?.cause).toBe(cause);
    expect(source.watches).toEqual([]);
    await stop();
  });

  it('reports a watch that could not be started for an unknown reason, and retries at its version after a pause [REF-24]', async () => {
    const cause = new Error('no watch today');
    const { source, errors, clock, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(() => Promise.reject(cause), stream()),
      list,
    );
    await settled();
    expect(errors).toEqual([cause]);
    expect(source.trace).toEqual(['list 0', 'watch 10']);
    await clock.advance(800);
    expect(source.trace).toEqual(['list 0', 'watch 10', 'watch 10', 'probe']);
    await stop();
  });

  it('retries a refused connection with growing pauses, without a relist and without the handler [REF-26]', async () => {
    const refused = Array.from({ length: 5 }, () => unreachable());
    const { source, clock, errors, sleeps, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(...refused, stream()),
      {
        ...list,
        backoff: { initialMs: 10, factor: 2, jitter: 0, capMs: 100 },
      },
    );
    await clock.advance(250);
    expect(sleeps).toEqual([10, 20, 40, 80, 100]);
    expect(source.lists).toHaveLength(1);
    expect(source.watches).toHaveLength(6);
    expect(errors).toEqual([]);
    await stop();
  });

  it('draws each of these pauses between once and twice its step [REF-25]', async () => {
    const draws = [0, 0.25, 0.5, 0.75, 0.999];
    const left = [0, ...draws.flatMap((draw) => [draw, 0])]; // a timeout is drawn for each watch, between the pauses
    const { source, clock, errors, sleeps, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(...draws.map(() => unreachable()), stream()),
      {
        ...list,
        random: () => left.shift() ?? 0,
        backoff: { initialMs: 1, factor: 2, jitter: 1, capMs: 50 },
      },
    );
    await clock.advance(62);
    expect(sleeps).toHaveLength(5);
    for (const [i, ms] of sleeps.entries()) expect(ms).toBeGreaterThanOrEqual(2 ** i);
    for (const [i, ms] of sleeps.entries()) expect(ms).toBeLessThan(2 * 2 ** i);
    expect(new Set(sleeps.map((ms, i) => ms / 2 ** i)).size).toBeGreaterThan(1);
    expect(source.lists).toHaveLength(1);
    expect(source.watches).toHaveLength(6);
    expect(errors).toEqual([]);
    await stop();
  });

  it('uses the defaults for the parts that a backoff leaves out', async () => {
    const refused = Array.from({ length: 4 }, () => unreachable());
    const source = lw()
      .onList(() => page('10'))
      .onWatch(...refused, stream());
    const { clock, sleeps, stop } = run(source, { ...list, backoff: { capMs: 2000, jitter: 0 } });
    await clock.advance(10_000);
    expect(sleeps).toEqual([800, 1600, 2000, 2000]);
    await stop();
  });

  it.each(['ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'UND_ERR_SOCKET'])(
    'treats %s at the start of a watch like a refused connection',
    async (code) => {
      const { source, clock, errors, stop } = run(
        lw()
          .onList(() => page('10'))
          .onWatch(unreachable(code), stream()),
        list,
      );
      await clock.advance(800);
      expect(source.trace).toEqual(['list 0', 'watch 10', 'watch 10', 'probe']);
      expect(errors).toEqual([]);
      await stop();
    },
  );

  it('pauses twice for a refused watch and a 429 in the stream, and resumes without a relist [REF-27]', async () => {
    const { source, clock, errors, sleeps, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(refuse(throttled()), stream().send(errorEvent(throttled())), stream()),
      list,
    );
    await clock.advance(800);
    await clock.advance(1600);
    expect(sleeps).toEqual([800, 1600]);
    expect(source.trace).toEqual(['list 0', 'watch 10', 'watch 10', 'probe', 'watch 10', 'probe']);
    expect(errors).toEqual([]);
    await stop();
  });

  it('waits for the time of Retry-After when that is longer', async () => {
    const { source, clock, sleeps, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(refuse(throttled(7)), stream()),
      list,
    );
    await clock.advance(7000);
    expect(sleeps).toEqual([7000]);
    expect(source.watches).toHaveLength(2);
    await stop();
  });

  it('resumes once after an InternalError in the stream, and relists when it comes again without an event between', async () => {
    const second = stream();
    const { source, clock, events, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(stream().send(errorEvent(internal())), second, stream()),
      list,
    );
    await clock.advance(800);
    expect(source.trace).toEqual(['list 0', 'watch 10', 'watch 10', 'probe']);
    expect(events.some((e) => e.kind === 'gap')).toBe(false);
    second.send(errorEvent(internal()));
    await clock.advance(1600);
    expect(source.trace.slice(4)).toEqual(['list 10', 'watch 10']);
    expect(events).toContainEqual(expect.objectContaining({ kind: 'gap', why: 'internal' }));
    await stop();
  });

  it.each([401, 403, 404, 500, 502, 504])(
    'keeps its version while a watch is answered %s, without a relist',
    async (code) => {
      const status = failure(code, '', 'not now');
      const first = stream().send(added(pod('a', 12)));
      const scripted = lw()
        .onList(() => page('10'))
        .onWatch(first, ...Array.from({ length: 6 }, () => refuse(status)), stream().send(modified(pod('a', 13))));
      const { clock, events, store, stop } = run(scripted, list);
      await clock.advance(10_000);
      first.break(networkError('ECONNRESET'));
      await clock.advance(60_000);
      expect(scripted.lists).toHaveLength(1);
      expect(new Set(scripted.watches.slice(1).map((r) => r.resourceVersion))).toEqual(new Set(['12']));
      expect(store.state).toEqual(['a@13']);
      expect(events.filter((e) => e.kind === 'gap' || e.kind === 'relisted')).toEqual([]);
      expect(events.at(-1)).toMatchObject({ kind: 'resumed', since: '12', proven: true });
      await stop();
    },
  );

  it('keeps its version while there are no credentials', async () => {
    const loggedOut = () => Promise.reject(new InformerError('credentials', 'not logged in'));
    const source = lw()
      .onList(() => page('10'))
      .onWatch(
        stream()
          .send(added(pod('a', 12)))
          .close(),
        loggedOut,
        loggedOut,
        loggedOut,
        stream().send(added(pod('b', 13))),
      );
    const { clock, store, stop } = run(source, list);
    await clock.advance(30_000);
    expect(source.trace).toEqual(['list 0', 'watch 10', 'watch 12', 'watch 12', 'watch 12', 'watch 12', 'probe']);
    expect(store.state).toEqual(['a@12', 'b@13']);
    await stop();
  });

  it('gives its version up when watch and list are answered 404 for a while, but not while one of them works', async () => {
    const gone = failure(404, 'NotFound', 'the server could not find the requested resource');
    const source = lw()
      .onList(
        () => page('10'),
        () => page('50'),
      )
      .onProbe(
        () => page('11'),
        ...Array.from({ length: 5 }, () => refuse(gone)),
        () => page('60'),
      )
      .onWatch(stream().close(), ...Array.from({ length: 6 }, () => refuse(gone)), stream());
    const { clock, events, stop } = run(source, list);
    await clock.advance(60_000);
    const pair = ['watch 10', 'probe'];
    expect(source.trace).toEqual([
      'list 0',
      'watch 10',
      ...pair,
      ...pair,
      ...pair,
      ...pair,
      ...pair,
      ...pair,
      'list 10',
      'watch 50',
    ]);
    expect(events.find((e) => e.kind === 'gap')).toMatchObject({ from: '10', why: 'missing' });
    await stop();
  });

  it('counts the time for InternalErrors from the first of them, whatever else fails in between [REF-31]', async () => {
    const watches = Array.from({ length: 4 }, () => stream());
    const { source, clock, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(...watches, stream()),
      { ...list, maxInternalErrorRetryMs: 1000 },
    );
    const watchesAfter = async (ms: number, fails: number, status: ReturnType<typeof internal>) => {
      await clock.advance(ms);
      watches[fails]?.send(errorEvent(status));
      await settled();
      return source.watches.length;
    };
    expect(await watchesAfter(1000, 0, internal()), 'the first').toBe(2);
    expect(source.lists).toHaveLength(1);
    await watchesAfter(50, 1, expired());
    await clock.advance(800);
    expect([source.lists.length, source.watches.length], 'another error is not retried').toEqual([2, 3]);
    expect(await watchesAfter(100, 2, internal()), '950 ms after the first').toBe(4);
    expect(await watchesAfter(150, 3, internal()), '1100 ms after the first').toBe(4);
    await stop();
  });

  it('retries InternalErrors at once while the window lasts', async () => {
    const { source, sleeps, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(stream().send(added(pod('a', 11)), errorEvent(internal())), stream()),
      { ...list, maxInternalErrorRetryMs: 1000 },
    );
    await settled();
    expect(source.trace).toEqual(['list 0', 'watch 10', 'watch 11', 'probe']);
    expect(sleeps).toEqual([]);
    await stop();
  });

  it('relists at once when the stream says the version expired, where client-go pauses, and the handler is not called', async () => {
    const { source, errors, sleeps, events, stop } = run(
      lw()
        .onList(
          () => page('10'),
          () => page('30'),
        )
        .onWatch(stream().send(added(pod('a', 12)), errorEvent(expired())), stream()),
      list,
    );
    await settled();
    expect(source.trace).toEqual(['list 0', 'watch 10', 'list 12', 'watch 30']);
    expect(sleeps).toEqual([]);
    expect(errors).toEqual([]);
    expect(events.filter((e) => e.kind !== 'fault')).toMatchObject([
      { kind: 'synced', resourceVersion: '10' },
      { kind: 'gap', from: '12', why: 'gone' },
      { kind: 'relisted', from: '12', resourceVersion: '30', why: 'gone' },
    ]);
    await stop();
  });

  it('calls the handler when an expired version is refused at the start of the watch', async () => {
    const { source, errors, clock, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(refuse(expired()), stream()),
      list,
    );
    await settled();
    expect(errors).toHaveLength(1);
    await clock.advance(800);
    expect(source.trace).toEqual(['list 0', 'watch 10', 'list 10', 'watch 10']);
    await stop();
  });

  it('resumes a closed stream at once where it ended [REF-34]', async () => {
    const { source, clock, sleeps, events, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(
          stream()
            .send(added(pod('a', 12)))
            .close(),
          stream(),
        ),
      list,
    );
    await settled();
    expect(source.trace).toEqual(['list 0', 'watch 10', 'watch 12']);
    expect(sleeps).toEqual([]);
    await clock.advance(1000); // the server does not refuse the version
    expect(events.at(-1)).toMatchObject({ kind: 'resumed', since: '12', why: 'closed' });
    await stop();
  });

  it('pauses when streams keep ending within a second, where client-go would spin', async () => {
    const short = (version: number) =>
      stream()
        .send(added(pod('a', version)))
        .close();
    const { source, sleeps, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(short(11), short(12), stream()),
      list,
    );
    await settled();
    expect(source.trace).toEqual(['list 0', 'watch 10', 'watch 11']);
    expect(sleeps).toEqual([800]);
    await stop();
  });

  describe('a watch that ends at once and empty', () => {
    const VERY_SHORT = 'very short watch: watch lasted less than a second and no items received';
    const important = (events: readonly ContinuityEvent[]) => events.filter(({ kind }) => kind !== 'fault');

    it('is resumed where client-go relists, and relisted after a pause when it does so again', async () => {
      const source = lw()
        .onList(
          () => page('10'),
          () => page('25', [pod('a', 21)]),
        )
        .onWatch(stream().close(), stream().close(), stream());
      const { clock, logs, errors, events, reflector, store, stop } = run(source, list);
      await settled();
      expect(source.trace).toEqual(['list 0', 'watch 10', 'watch 10', 'probe']);
      expect(logs.filter((l) => l.message === VERY_SHORT)).toHaveLength(2);
      expect(reflector.continuity.connection).toMatchObject({ state: 'disconnected', why: 'very-short', from: '10' });
      await clock.advance(799);
      expect(source.trace).toHaveLength(4);
      await clock.advance(1);
      await settled();
      expect(source.trace.slice(4)).toEqual(['list', 'watch 25']);
      expect(store.state).toEqual(['a@21']);
      expect(errors).toEqual([]);
      expect(important(events)).toMatchObject([
        { kind: 'synced', resourceVersion: '10' },
        { kind: 'disconnected', from: '10', why: 'very-short' },
        { kind: 'gap', from: '10', why: 'very-short' },
        { kind: 'relisted', from: '10', resourceVersion: '25' },
        { kind: 'connected', by: 'relist', since: '25' },
      ]);
      expect(reflector.continuity.connection.state).toBe('connected');
      await stop();
    });

    it('has lost nothing when the list is at the version of the cache', async () => {
      const source = lw()
        .onList(() => page('10'))
        .onWatch(stream().close(), stream().close(), stream());
      const { clock, events, reflector, stop } = run(source, list);
      await clock.advance(800);
      expect(source.trace.slice(4)).toEqual(['list', 'watch 10']);
      expect(important(events).map(({ kind }) => kind)).toEqual(['synced', 'disconnected', 'connected']);
      const { gapCount, relists, connection } = reflector.continuity;
      expect([gapCount, relists, connection.state]).toEqual([0, 0, 'connected']);
      await stop();
    });

    it('counts as not seen from the end of the last stream that did well, until a list succeeds', async () => {
      const first = stream().send(added(pod('a', 12)));
      const source = lw()
        .onList(
          () => page('10'),
          unreachable(),
          () => page('13'),
        )
        .onWatch(first, stream().close(), stream().close(), stream());
      const { clock, reflector, stop } = run(source, list);
      await clock.advance(60_000);
      const endedAt = clock.now();
      first.close();
      await clock.advance(1500); // the list is refused
      expect(reflector.continuity.connection).toMatchObject({ state: 'disconnected', since: endedAt, from: '12' });
      expect(reflector.continuity.gapCount).toBe(0);
      await clock.advance(10_000);
      expect(reflector.continuity.gaps).toMatchObject([{ from: '12', to: '13', why: 'very-short' }]);
      expect(reflector.continuity.connection.state).toBe('connected');
      await stop();
    });

    it('is resumed each time where streams in between did well', async () => {
      const streams = [1, 2, 3].flatMap((i) => [stream().close(), stream().send(added(pod('a', 10 + i)))]);
      const source = lw()
        .onList(() => page('10'))
        .onWatch(...streams);
      const { clock, stop } = run(source, list);
      for (const each of streams) {
        await clock.advance(3000);
        each.close();
      }
      await clock.advance(3000);
      expect(source.lists).toHaveLength(1);
      await stop();
    });

    it('costs a streaming list of the most recent state, in mode stream', async () => {
      const source = lw().onWatch(
        stream().send(initialEnd(10)).close(),
        stream().close(),
        stream().close(),
        stream().send(initialEnd(25)),
      );
      const { clock, reflector, stop } = run(source, { sync: 'stream' });
      await clock.advance(1600);
      expect(source.trace).toEqual(['stream', 'watch 10', 'watch 10', 'probe', 'stream']);
      expect(reflector.continuity.gaps).toMatchObject([{ from: '10', to: '25', why: 'very-short' }]);
      await stop();
    });
  });

  it.each([
    [undefined, 0, 300],
    [undefined, 0.999_999, 599],
    [1000, 0, 300],
    [1000, 0.999_999, 599],
    [299_999, 0.5, 450],
    [30 * 60_000, 0, 1800],
    [30 * 60_000, 0.999_999, 3599],
  ])(
    'with a minimum timeout of %s ms and %s drawn, requests %s seconds [REF-37]',
    async (minWatchTimeoutMs, drawn, seconds) => {
      const { source, stop } = run(
        lw().onList(() => page('1')),
        { ...list, minWatchTimeoutMs, random: () => drawn },
      );
      await settled();
      expect(source.watches[0]?.timeoutSeconds).toBe(seconds);
      await stop();
    },
  );

  it.each(['list', 'stream'] as const)('draws a new timeout for every watch, in mode %s [REF-37]', async (sync) => {
    let drawn = 0;
    const draw = () => (++drawn * 0.137) % 1; // pauses draw from it too
    const ended = (version: number) => stream().send(added(pod('a', version)));
    const watches = [11, 12, 13].map(ended);
    if (sync === 'stream') watches[0]?.send(initialEnd(11));
    const source = lw()
      .onList(() => page('10'))
      .onWatch(...watches, stream());
    const { clock, stop } = run(source, { sync, random: draw });
    for (const watch of watches) {
      await clock.advance(5000);
      watch.close();
    }
    await clock.advance(5000);
    const seconds = source.watches.map((r) => r.timeoutSeconds ?? 0);
    expect(new Set(seconds).size).toBe(4);
    expect(seconds.filter((each) => each >= 300 && each < 600)).toHaveLength(4);
    await stop();
  });

  it.each([
    ['no jitter', 0, [0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30]],
    ['full jitter', 0.999_999, [1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 60, 60]],
  ])('doubles the pauses up to the limit, %s [REF-38]', async (_, drawn, seconds) => {
    const { clock, sleeps, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(unreachable()),
      { ...list, random: () => drawn },
    );
    await clock.advance(240_000);
    expect(sleeps.slice(0, 8).map((ms) => Math.round(ms) / 1000)).toEqual(seconds);
    await stop();
  });

  it('relists after a resync that fails, here the second one [REF-40]', async () => {
    let resyncs = 0;
    class Store extends RecordingStore {
      resync(): void {
        if (++resyncs === 2) throw new Error('second');
      }
    }
    const { source, clock, errors, stop } = run(
      lw().onList(() => page('10')),
      { ...list, store: new Store(), resyncMs: 1 },
    );
    await clock.advance(5);
    expect(resyncs).toBe(2);
    expect(source.trace).toEqual(['list 0', 'watch 10']);
    await clock.advance(799);
    expect(source.trace).toEqual(['list 0', 'watch 10', 'list 10', 'watch 10']);
    expect(errors).toEqual([]);
    await stop();
  });

  it('never resyncs and keeps no timer for it when the period is 0 [REF-41]', async () => {
    let resyncs = 0;
    class Store extends RecordingStore {
      resync(): void {
        resyncs++;
      }
    }
    const { clock, stop } = run(
      lw().onList(() => page('10')),
      { ...list, store: new Store(), idleMs: Number.POSITIVE_INFINITY },
    );
    await clock.advance(10_000_000);
    expect(resyncs).toBe(0);
    expect(clock.pending).toBe(0);
    await stop();
  });

  it('asks before each resync, and again after a refusal [REF-42]', async () => {
    let asked = 0;
    let resyncs = 0;
    class Store extends RecordingStore {
      resync(): void {
        resyncs++;
      }
    }
    const { clock, stop } = run(
      lw().onList(() => page('10')),
      {
        ...list,
        store: new Store(),
        resyncMs: 1000,
        shouldResync: () => ++asked === 3,
      },
    );
    await clock.advance(3500);
    expect([asked, resyncs]).toEqual([3, 1]);
    await stop();
  });

  it('continues when the store refuses an event, and moves its version [REF-44]', async () => {
    class Store extends RecordingStore {
      override add(): void {
        throw new Error('no');
      }
    }
    const watch = stream().send(added(pod('a', 12)));
    const { store, reflector, logs, source, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(watch),
      { ...list, store: new Store() },
    );
    await settled();
    expect(reflector.lastSyncResourceVersion).toBe('12');
    watch.send(modified(pod('b', 13)));
    await settled();
    expect(source.watches).toHaveLength(1);
    expect(store.calls).toEqual(['replace 0@10', 'update b']);
    expect(reflector.lastSyncResourceVersion).toBe('13');
    expect(logs.filter((l) => l.level === 'error')).toHaveLength(1);
    await stop();
  });

  it('fails the attempt when the store refuses the list, and keeps its version [REF-45]', async () => {
    class Store extends RecordingStore {
      override replace(): void {
        throw new Error('full');
      }
    }
    const { reflector, errors, source, stop } = run(
      lw().onList(() => page('10')),
      { ...list, store: new Store() },
    );
    await settled();
    expect((errors[0] as Error).message).toBe('unable to sync list result of v1/pods: full');
    expect(reflector.lastSyncResourceVersion).toBe('');
    expect(source.watches).toEqual([]);
    await stop();
  });

  it('keeps the version it had when the store refuses a later list [REF-45]', async () => {
    class Store extends RecordingStore {
      override replace(objects: readonly KubeObject[], version: string): void {
        if (version === '20') throw new Error('full');
        super.replace(objects, version);
      }
    }
    const source = lw()
      .onList(
        () => page('10'),
        () => page('20'),
      )
      .onWatch(stream().send(errorEvent(expired())));
    const { reflector, errors, clock, stop } = run(source, { ...list, store: new Store() });
    await clock.advance(800);
    expect(errors).toMatchObject([{ message: 'unable to sync list result of v1/pods: full' }]);
    expect(reflector.lastSyncResourceVersion).toBe('10');
    await stop();
  });

  it('ignores an unknown event type, but moves its version [REF-48]', async () => {
    const watch = stream().send({ type: 'FOO', object: pod('a', 77) } as never);
    const { store, reflector, logs, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(watch),
      list,
    );
    await settled();
    expect(store.calls).toEqual(['replace 0@10']);
    expect(reflector.lastSyncResourceVersion).toBe('77');
    expect(logs.some((l) => l.message.includes('unknown type'))).toBe(true);
    await stop();
  });

  it.each(['meta.k8s.io/v1', 'meta.k8s.io/v1beta1'])(
    'refuses a list that is a Table of %s [REF-49]',
    async (apiVersion) => {
      const { errors, stop } = run(
        lw().onList(() => page('10', [], { apiVersion, kind: 'Table' })),
        list,
      );
      await settled();
      expect((errors[0] as Error).message).toContain(`unsupported list gvk ${apiVersion}, Kind=Table`);
      await stop();
    },
  );

  it('accepts a list of that kind from another group [REF-49]', async () => {
    const { errors, store, stop } = run(
      lw().onList(() => page('10', [pod('oak', 1)], { apiVersion: 'wood.example.com/v1', kind: 'Table' })),
      list,
    );
    await settled();
    expect([store.state, errors]).toEqual([['oak@1'], []]);
    await stop();
  });

  it('skips Tables in the stream, but accepts a kind of that name from another group [REF-49]', async () => {
    const table = { apiVersion: 'meta.k8s.io/v1', kind: 'Table', metadata: { name: 't', resourceVersion: '11' } };
    const furniture = {
      apiVersion: 'wood.example.com/v1',
      kind: 'Table',
      metadata: { name: 'oak', resourceVersion: '12' },
    };
    const { store, reflector, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(stream().send(added(table), added(furniture))),
      list,
    );
    await settled();
    expect(store.state).toEqual(['oak@12']);
    expect(reflector.lastSyncResourceVersion).toBe('12');
    await stop();
  });

  it.each([
    ['the list', lw().onList(() => new Promise(() => {}))],
    [
      'the opening of the watch',
      lw()
        .onList(() => page('10'))
        .onWatch(() => new Promise(() => {})),
    ],
    ['the reading of the watch', lw().onList(() => page('10'))],
    ['a pause', lw().onList(() => Promise.reject(new Error('no')))],
  ])('ends at once when stopped during %s, and leaves nothing behind [REF-47]', async (_, source) => {
    const { clock, stop, signal } = run(source, { ...list, resyncMs: 1000 });
    await settled();
    const asked = source.requests.length;
    await stop();
    expect(clock.pending).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    await clock.advance(100_000);
    expect(source.requests).toHaveLength(asked);
  });

  it('releases the stream when stopped [REF-47]', async () => {
    let context: AbortSignal | undefined;
    const source = lw()
      .onList(() => page('10'))
      .onWatch((_, { signal }) => {
        context = signal;
        return stream();
      });
    const { stop } = run(source, list);
    await settled();
    expect(context?.aborted).toBe(false);
    await stop();
    expect(context?.aborted).toBe(true);
  });

  it('makes no request when the signal was aborted before the start [REF-47]', async () => {
    const source = lw();
    await new Reflector(source, new RecordingStore(), list).run(AbortSignal.abort());
    expect(source.requests).toEqual([]);
  });
});

describe('watch-list mode', () => {
  it('starts with a streaming list and continues with the same stream [WL-01] [WL-02]', async () => {
    const watch = stream().send(added(pod('p1', 1)), added(pod('p2', 2)), initialEnd(2), modified(pod('p1', 3)));
    const { source, store, reflector, stop } = run(lw().onWatch(watch));
    await settled();
    expect(source.requests).toEqual([
      {
        verb: 'watch',
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
        allowWatchBookmarks: true,
        timeoutSeconds: 300,
      },
    ]);
    expect(store.calls).toEqual(['replace 2@2', 'update p1']);
    expect(reflector.lastSyncResourceVersion).toBe('3');
    await stop();
  });

  it('stores nothing before the end of the initial events [WL-03]', async () => {
    const { store, reflector, stop } = run(lw().onWatch(stream().send(added(pod('p1', 1)))));
    await settled();
    await stop();
    expect(store.calls).toEqual([]);
    expect(reflector.lastSyncResourceVersion).toBe('');
  });

  it('merges changes among the initial events into one replace [WL-05]', async () => {
    const watch = stream().send(
      added(pod('p1', 1)),
      added(pod('p2', 2)),
      modified(pod('p1', 3)),
      added(pod('p3', 4)),
      deleted(pod('p3', 5)),
      initialEnd(5),
    );
    const { store, reflector, stop } = run(lw().onWatch(watch));
    await settled();
    expect(store.calls).toEqual(['replace 2@5']);
    expect(store.state).toEqual(['p1@3', 'p2@2']);
    expect(reflector.lastSyncResourceVersion).toBe('5');
    await stop();
  });

  it('falls back to LIST in the same attempt when the server refuses [WL-06]', async () => {
    const { source, sleeps, errors, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(refuse(invalid()), stream()),
    );
    await settled();
    expect(source.trace).toEqual(['stream', 'list 0', 'watch 10']);
    expect(source.lists[0]).toMatchObject({ limit: 500 });
    expect(sleeps).toEqual([]);
    expect(errors).toEqual([]);
    await stop();
  });

  it('retries after 429, never by LIST [WL-08]', async () => {
    const { source, store, clock, stop } = run(
      lw().onWatch(refuse(throttled()), refuse(throttled()), stream().send(added(pod('a', 1)), initialEnd(2))),
    );
    await clock.advance(10_000);
    expect(source.trace).toEqual(['stream', 'stream', 'stream']);
    expect(store.state).toEqual(['a@1']);
    await stop();
  });

  it('repeats a streaming list that ended early, and keeps none of its objects [WL-09]', async () => {
    const { source, store, sleeps, stop } = run(
      lw().onWatch(
        stream()
          .send(added(pod('a', 1)))
          .close(),
        stream().send(added(pod('b', 2)), initialEnd(2)),
      ),
    );
    await settled();
    expect(source.requests[1]).toEqual(source.requests[0]);
    expect(store.state).toEqual(['b@2']);
    expect(sleeps).toEqual([]);
    await stop();
  });

  it('uses LIST when streaming lists never reach their end', async () => {
    const cut = () => () =>
      stream()
        .send(added(pod('a', 1)))
        .close();
    const source = lw()
      .onList(() => page('10'))
      .onWatch(cut(), cut(), cut(), cut(), cut(), stream());
    const { clock, stop } = run(source);
    await clock.advance(60_000);
    expect(source.trace).toEqual(['stream', 'stream', 'stream', 'stream', 'stream', 'list 0', 'watch 10']);
    await stop();
  });

  it('resumes by a plain watch after the stream ends [WL-10]', async () => {
    const { source, clock, stop } = run(
      lw().onWatch(
        stream()
          .send(added(pod('p1', 1)), initialEnd(2), added(pod('p3', 3)))
          .close(),
        stream(),
      ),
    );
    await clock.advance(2000);
    expect(source.requests[1]).toEqual({
      verb: 'watch',
      resourceVersion: '3',
      allowWatchBookmarks: true,
      timeoutSeconds: 300,
    });
    await stop();
  });

  it('is not used when the source does not support it [WL-13]', async () => {
    const source = lw().onList(() => page('10'));
    source.unsupported = true;
    const { stop } = run(source);
    await settled();
    expect(source.trace).toEqual(['list 0', 'watch 10']);
    await stop();
  });

  it('tries streaming first again at the next attempt [WL-14]', async () => {
    const { source, clock, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(refuse(invalid()), stream().send(errorEvent(expired())), refuse(invalid()), stream()),
    );
    await clock.advance(800);
    expect(source.trace).toEqual(['stream', 'list 0', 'watch 10', 'stream 10', 'list 10', 'watch 10']);
    await stop();
  });

  it('falls back to LIST when the stream closes within a second without an event [WL-16]', async () => {
    const { source, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(stream().close(), stream()),
    );
    await settled();
    expect(source.trace).toEqual(['stream', 'list 0', 'watch 10']);
    await stop();
  });

  it('warns while the end of the initial events is awaited [WL-17]', async () => {
    const watch = stream();
    const { clock, logs, stop } = run(lw().onWatch(watch));
    const warnings = () => logs.filter((l) => l.level === 'warn').map((l) => l.message);
    await clock.advance(9999);
    expect(warnings()).toEqual([]);
    await clock.advance(1);
    expect(warnings()).toEqual([
      'awaiting required bookmark event for initial events stream, no events received for 10s',
    ]);
    await clock.advance(3000);
    watch.send(added(pod('a', 1)));
    await clock.advance(7000);
    expect(warnings()[1]).toContain('received last event 7s ago');
    expect(warnings()).toHaveLength(2);
    await stop();
  });

  it('warns at its configured interval, and no more once the end has come [WL-17]', async () => {
    const watch = stream();
    const { clock, logs, stop } = run(lw().onWatch(watch), { bookmarkWarningMs: 1000 });
    const warnings = () => logs.filter((l) => l.level === 'warn').length;
    const counts: number[] = [];
    for (const ms of [999, 1, 999, 1, 500]) {
      await clock.advance(ms);
      counts.push(warnings());
    }
    expect(counts).toEqual([0, 1, 1, 2, 2]);
    watch.send(initialEnd(5));
    await clock.advance(10_000);
    expect(warnings()).toBe(2);
    await stop();
  });

  it('keeps trying to connect and never uses LIST [WL-18]', async () => {
    const { source, clock, stop } = run(lw().onWatch(unreachable()));
    await clock.advance(300_000);
    expect(source.lists).toEqual([]);
    expect(source.watches.length).toBeGreaterThan(8);
    await stop();
  });

  it('can be stopped while it pauses, where client-go cannot', async () => {
    const { clock, stop } = run(lw().onWatch(unreachable()));
    await settled();
    await stop();
    expect(clock.pending).toBe(0);
  });

  it('requests the most recent state at once when its version is refused, and pauses when that is refused too', async () => {
    const { source, clock, sleeps, stop } = run(
      lw().onWatch(
        stream().send(initialEnd(10), errorEvent(expired())),
        refuse(tooLarge()),
        refuse(expired()),
        stream().send(added(pod('a', 3)), initialEnd(4)),
      ),
    );
    await settled();
    expect(source.trace).toEqual(['stream', 'stream 10', 'stream']);
    expect(sleeps).toEqual([800]);
    await clock.advance(800);
    expect(source.trace).toEqual(['stream', 'stream 10', 'stream', 'stream']);
    await stop();
  });
});

describe('a stream that falls silent', () => {
  const idle = { ...list, idleMs: 150_000 };

  it('is resumed at the last version after 150 s, without a relist', async () => {
    const watch = stream().send(added(pod('a', 12)));
    const { source, clock, events, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(watch, stream()),
      list,
    );
    await clock.advance(149_999);
    expect(source.watches).toHaveLength(1);
    await clock.advance(1);
    // the first one because a bookmark is missing
    expect(source.trace).toEqual(['list 0', 'watch 10', 'probe', 'watch 12', 'probe']);
    expect(watch.isLeft).toBe(false); // stuck in a read; the signal has aborted
    await clock.advance(1000); // the server does not refuse the version
    expect(events.at(-1)).toMatchObject({ kind: 'resumed', since: '12', why: 'idle', downMs: 150_000, proven: false });
    await stop();
  });

  it('is never cut while bookmarks come', async () => {
    const watch = stream();
    const { source, clock, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(watch),
      idle,
    );
    for (let version = 11; version < 30; version++) {
      await clock.advance(100_000);
      watch.send(bookmark(version));
    }
    await clock.advance(100_000);
    expect(source.watches).toHaveLength(1);
    await stop();
  });

  it('is not blamed for the time in which it is not read', async () => {
    let release = () => {};
    class Store extends RecordingStore {
      room(): Promise<void> | undefined {
        return this.calls.length === 2 ? new Promise((resolve) => (release = resolve)) : undefined;
      }
    }
    const watch = stream().send(added(pod('a', 11)));
    const { source, clock, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(watch),
      { ...idle, store: new Store() },
    );
    await clock.advance(500_000);
    expect(source.watches).toHaveLength(1);
    watch.send(added(pod('b', 12)));
    release();
    await clock.advance(100_000);
    expect(source.watches).toHaveLength(1);
    await stop();
  });

  it('counts as dead within 30 s when it does not bring the server’s changes, and nothing is lost', async () => {
    const watch = stream().send(added(pod('a', 12)));
    const beside = stream().send(added(pod('b', 13)));
    const source = lw()
      .onList(() => page('10'))
      .onWatch(watch, stream().send(added(pod('b', 13))))
      .onGlimpse(beside);
    const { store, clock, events, stop } = run(source, idle);
    await clock.advance(20_000);
    expect(source.requests.at(-3)).toEqual({ verb: 'glimpse', resourceVersion: '12', timeoutSeconds: 1 });
    expect(source.trace).toEqual(['list 0', 'watch 10', 'watch 12', 'probe']);
    expect(store.state).toEqual(['a@12', 'b@13']);
    expect(events.at(-1)).toMatchObject({ kind: 'resumed', since: '12', why: 'idle', proven: true });
    expect(beside.isLeft).toBe(true);
    await stop();
  });

  it('counts as dead at the next change when the server had forgotten its version', async () => {
    const source = lw()
      .onList(() => page('10'))
      .onWatch(stream().send(added(pod('a', 12))), stream().send(added(pod('b', 41))))
      .onProbe(() => page('40'))
      .onGlimpse(stream().send(errorEvent(expired())), stream().close(), stream().send(added(pod('b', 41))));
    const { clock, events, stop } = run(source, idle);
    await clock.advance(40_000);
    expect(source.watches).toHaveLength(1);
    await clock.advance(17_000);
    const glimpses = source.requests.filter((r) => r.verb === 'glimpse').map((r) => r.resourceVersion);
    expect(glimpses).toEqual(['12', '40', '40']);
    expect(events.find((e) => e.kind === 'disconnected')).toMatchObject({ from: '12', why: 'idle' });
    await stop();
  });

  it('is checked again after a second watch was refused', async () => {
    const source = lw()
      .onList(() => page('10'))
      .onWatch(stream().send(added(pod('a', 12))), stream().send(added(pod('b', 13))))
      .onGlimpse(stream().send(errorEvent(internal())), stream().send(added(pod('b', 13))));
    const { clock, store, events, stop } = run(source, idle);
    await clock.advance(40_000);
    expect(events.find((e) => e.kind === 'disconnected')).toMatchObject({ from: '12', why: 'idle' });
    expect(store.state).toEqual(['a@12', 'b@13']);
    await stop();
  });

  it('is left alone when it only lags behind what a second watch shows', async () => {
    const watch = stream();
    const source = lw()
      .onList(() => page('10'))
      .onWatch(watch)
      .onGlimpse(stream().send(added(pod('b', 13))));
    const { clock, stop } = run(source, idle);
    await clock.advance(19_000);
    watch.send(added(pod('b', 13)));
    await clock.advance(15_000);
    expect(source.watches).toHaveLength(1);
    await stop();
  });

  it('is left alone while a second watch shows no change either, at three short requests a minute', async () => {
    const { source, clock, stop } = run(
      lw().onList(() => page('10')),
      { ...idle, idleMs: 3_600_000 },
    );
    await clock.advance(600_000);
    expect(source.watches).toHaveLength(1);
    expect(source.requests.filter((r) => r.verb === 'glimpse')).toHaveLength(33);
    expect(source.requests.filter((r) => r.verb === 'probe')).toHaveLength(6); // no bookmark for 90 s
    await stop();
  });

  it('is not resumed when a list of one object shows that the server is before its version: the history was replaced', async () => {
    const source = lw()
      .onList(
        () => page('5000', [pod('a', 5000)]),
        () => page('7', [pod('b', 3)]),
      )
      .onProbe(() => page('7'))
      .onWatch(stream().close(), stream(), stream());
    const { store, clock, events, stop } = run(source, idle);
    await clock.advance(1_000);
    expect(source.requests.slice(1, 5)).toMatchObject([
      { verb: 'watch', resourceVersion: '5000' },
      { verb: 'watch', resourceVersion: '5000' },
      { verb: 'probe', limit: 1 },
      { verb: 'list', limit: 500 },
    ]);
    expect(store.state).toEqual(['b@3']);
    expect(events.map((e) => e.kind)).toEqual(['synced', 'fault', 'gap', 'fault', 'relisted']);
    expect(events.at(-1)).toMatchObject({ from: '5000', resourceVersion: '7', why: 'replaced' });
    await stop();
  });

  it('is resumed every time where the server is merely quiet and sends no bookmarks', async () => {
    const { source, clock, events, stop } = run(
      lw().onList(() => page('10')),
      idle,
    );
    await clock.advance(900_000);
    expect(source.watches.every((r) => r.resourceVersion === '10')).toBe(true);
    expect(source.watches).toHaveLength(7);
    expect(events.filter((e) => e.kind === 'relisted' || e.kind === 'gap')).toEqual([]);
    await stop();
  });

  it('is replaced by LIST when it should bring the initial list', async () => {
    const { source, clock, stop } = run(
      lw().onList(() => page('10')),
      { idleMs: 150_000 },
    );
    await clock.advance(150_000);
    expect(source.trace).toEqual(['stream', 'list 0', 'watch 10']);
    await stop();
  });
});

describe('a connection that breaks', () => {
  it('in mid-stream is resumed at once without a relist', async () => {
    const watch = stream().send(added(pod('a', 12)));
    const { source, clock, errors, events, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(watch, stream()),
      list,
    );
    await clock.advance(5000);
    watch.break(networkError('ECONNRESET'));
    await settled();
    expect(source.trace).toEqual(['list 0', 'watch 10', 'watch 12', 'probe']);
    expect(errors).toEqual([]);
    await clock.advance(1000); // the server does not refuse the version
    expect(events.slice(-4)).toMatchObject([
      { kind: 'disconnected', from: '12', why: 'connection' },
      { kind: 'fault', fault: 'connection', next: 'resume' },
      { kind: 'connected', by: 'resume', since: '12' },
      { kind: 'resumed', since: '12', why: 'connection', downMs: 0, proven: false },
    ]);
    await stop();
  });

  it.each([502, 503])('is retried at its version, without a relist, when a proxy answers %s', async (code) => {
    const away = failure(code, code === 503 ? 'ServiceUnavailable' : '', 'no backend');
    const { source, clock, errors, stop } = run(
      lw()
        .onList(() => page('10'))
        .onWatch(refuse(away), stream()),
      list,
    );
    await clock.advance(800);
    expect(source.trace).toEqual(['list 0', 'watch 10', 'watch 10', 'probe']);
    expect(errors).toEqual([]);
    await stop();
  });
});

describe('the pauses between attempts', () => {
  const faults = (count: number, make: () => ScriptedStream<KubeObject>) => {
    const streams = Array.from({ length: count }, make);
    const source = lw()
      .onList(() => page('10'))
      .onWatch(...streams.flatMap((each) => [unreachable(), each]));
    return { source, streams };
  };

  it.each([
    ['brought an event', () => stream().send(added(pod('a', 12)))],
    ['was only quiet', () => stream()],
  ])(
    'start small again after a stream that %s: faults 90 s apart, each repaired at once, do not add up [KR-07]',
    async (_, make) => {
      const { source, streams } = faults(8, make);
      const { clock, sleeps, stop } = run(source, { ...list, idleMs: 3_600_000 });
      for (const each of streams) {
        await clock.advance(90_000);
        each.break(networkError('ECONNRESET'));
      }
      await clock.advance(5_000);
      expect(sleeps).toEqual(Array.from({ length: 8 }, () => 800));
      await stop();
    },
  );

  it('keep growing while no stream lasts', async () => {
    const source = lw()
      .onList(() => page('10'))
      .onWatch(...Array.from({ length: 6 }, () => () => stream().break(networkError('ECONNRESET'))), stream());
    const { clock, sleeps, stop } = run(source, list);
    await clock.advance(60_000);
    expect(sleeps).toEqual([800, 1600, 3200, 4000, 4000]);
    await stop();
  });

  it('stay within seconds while a watch is refused and its version is still valid', async () => {
    const source = lw()
      .onList(() => page('10'))
      .onWatch(refuse(failure(403, 'Forbidden', 'no')));
    const { clock, sleeps, stop } = run(source, { ...list, random: () => 0.999_999 });
    await clock.advance(60_000);
    expect(sleeps.length).toBeGreaterThan(9);
    expect(Math.max(...sleeps)).toBeLessThanOrEqual(6_000);
    await stop();
  });

  it.each([
    [0.5, 150],
    [0.9, 270],
  ])(
    'end with the return of the server where the source can report it, and the client that drew %s returns %s ms later',
    async (drawn, afterMs) => {
      const back = new Latch();
      const source = Object.assign(
        lw()
          .onList(() => page('10'))
          .onWatch(stream().break(networkError('ECONNRESET')), unreachable(), stream()),
        { whenReachable: () => back.wait() },
      );
      const { clock, stop } = run(source, { ...list, random: () => drawn });
      await clock.advance(60_000);
      expect(source.watches).toHaveLength(2);
      back.open();
      await clock.advance(afterMs - 1);
      expect(source.watches).toHaveLength(2);
      await clock.advance(1);
      expect(source.watches).toHaveLength(3);
      await stop();
    },
  );

  it('still happen when the server is reported to be back and is not', async () => {
    const source = Object.assign(
      lw()
        .onList(() => page('10'))
        .onWatch(stream().break(networkError('ECONNRESET')), unreachable()),
      { whenReachable: () => Promise.resolve() },
    );
    const { clock, sleeps, stop } = run(source, list);
    await clock.advance(60_000);
    expect(sleeps.slice(0, 5)).toEqual([0, 800, 1600, 3200, 4000]);
    await stop();
  });

  it('keep growing where the server asks for short ones', async () => {
    const source = lw()
      .onList(() => page('10'))
      .onWatch(refuse(throttled(1)));
    const { clock, sleeps, stop } = run(source, list);
    await clock.advance(60_000);
    expect(sleeps.slice(0, 6)).toEqual([1000, 1600, 3200, 6400, 12_800, 25_600]);
    await stop();
  });

  it('stay within seconds while a watch is answered 503 with a short Retry-After', async () => {
    const unavailable = failure(503, 'ServiceUnavailable', 'not yet', { retryAfterSeconds: 1 });
    const source = lw()
      .onList(() => page('10'))
      .onWatch(refuse(unavailable));
    const { clock, sleeps, stop } = run(source, list);
    await clock.advance(60_000);
    expect(sleeps.slice(0, 5)).toEqual([1000, 1600, 3200, 4000, 4000]);
    await stop();
  });

  it.each(['watch', 'list'])('last until its turn for a %s that is answered 401', async (verb) => {
    const turns: Latch[] = [];
    const unauthorized = refuse(failure(401, 'Unauthorized', 'Unauthorized'));
    const source = Object.assign(lw(), {
      whenTurn: async () => {
        const turn = new Latch();
        turns.push(turn);
        await turn.wait();
      },
    });
    if (verb === 'list') source.onList(unauthorized, () => page('10')).onWatch(stream());
    else source.onList(() => page('10')).onWatch(unauthorized, stream());
    const { clock, sleeps, stop } = run(source, list);
    await clock.advance(60_000);
    expect(source.requests).toHaveLength(verb === 'list' ? 1 : 2);
    turns[0]?.open();
    await settled();
    expect(source.trace.at(-1)).toMatch(/^(watch 10|probe)$/);
    expect([turns.length, sleeps]).toEqual([1, []]);
    await stop();
  });

  it('follow a long Retry-After for at most a minute, report it, and cause neither a gap nor a list', async () => {
    const source = lw()
      .onList(() => page('10'))
      .onWatch(stream().break(networkError('ECONNRESET')), refuse(throttled(330)), stream());
    const { clock, sleeps, events, stop } = run(source, { ...list, idleMs: 30_000 });
    await clock.advance(59_999);
    expect(events.find((e) => e.kind === 'waiting')).toMatchObject({ waitMs: 60_000 });
    expect(source.watches).toHaveLength(2);
    await clock.advance(1);
    expect(source.watches).toHaveLength(3);
    expect([sleeps, source.lists.length, events.some((e) => e.kind === 'gap')]).toEqual([[60_000], 1, false]);
    await stop();
  });
});

describe('sync modes', () => {
  it('pages always requests the most recent state in pages', async () => {
    const source = lw()
      .onList(() => page('10'))
      .onWatch(stream().send(errorEvent(expired())), stream());
    const { clock, stop } = run(source, { sync: 'pages' });
    await clock.advance(800);
    expect(source.lists).toEqual([
      { verb: 'list', limit: 500 },
      { verb: 'list', limit: 500 },
    ]);
    await stop();
  });

  it.each<[SyncMode, (() => boolean) | undefined, string[]]>([
    ['stream', undefined, ['stream']],
    ['stream', () => true, ['stream']],
    ['stream', () => false, ['list 0', 'watch 10']],
    ['pages', () => true, ['list', 'watch 10']],
  ])(
    '%s with a source whose supportsStreamingLists is %s begins with %j',
    async (sync, supportsStreamingLists, trace) => {
      const source = lw()
        .onList(() => page('10'))
        .onWatch(stream());
      const { stop } = run(Object.assign(source, { supportsStreamingLists }), { sync });
      await settled();
      expect(source.trace).toEqual(trace);
      await stop();
    },
  );

  it.each([
    ['one LIST without a limit where that is consistent and cheap', () => Promise.resolve(true), [{ verb: 'list' }]],
    ['pages elsewhere', () => Promise.resolve(false), [{ verb: 'list', limit: 500 }]],
    ['pages where that is not known', () => Promise.reject(new Error('forbidden')), [{ verb: 'list', limit: 500 }]],
  ])('auto uses %s', async (_, consistentUnpagedList, expected) => {
    const source = Object.assign(
      lw().onList(() => page('10')),
      { consistentUnpagedList },
    );
    const { stop } = run(source, { sync: 'auto' });
    await settled();
    expect(source.lists).toEqual(expected);
    await stop();
  });
});

it('sends its selectors with every request [FAC-05]', async () => {
  const source = lw()
    .onList(
      () => page('10', [], { continue: 'C' }),
      () => page('10'),
    )
    .onWatch(refuse(invalid()), stream());
  const { stop } = run(source, { selectors: { labelSelector: 'app=web', fieldSelector: 'spec.nodeName=n1' } });
  await settled();
  expect(source.requests).toHaveLength(4);
  for (const request of source.requests)
    expect(request).toMatchObject({ labelSelector: 'app=web', fieldSelector: 'spec.nodeName=n1' });
  await stop();
});

it('an event without a version does not change the position', async () => {
  const { reflector, stop } = run(
    lw()
      .onList(() => page('10'))
      .onWatch(stream().send(added(pod('a', 11)), deleted(pod('a', undefined)))),
    list,
  );
  await settled();
  expect(reflector.lastSyncResourceVersion).toBe('11');
  await stop();
});

it('a watch without a version has no position until its synthetic events are over', async () => {
  const watch = stream().send(added(pod('a', 7)), added(pod('b', 3)));
  const { reflector, store, stop } = run(
    lw()
      .onList(() => page(''))
      .onWatch(watch),
    list,
  );
  await settled();
  expect([reflector.lastSyncResourceVersion, store.state]).toEqual(['', ['a@7', 'b@3']]);
  watch.send(bookmark(8), added(pod('c', 9)));
  await settled();
  expect(reflector.lastSyncResourceVersion).toBe('9');
  await stop();
});

it('restarts the resync period with each relist, and resyncs only while it watches', async () => {
  const at: number[] = [];
  const watch = stream();
  const clock = new CountingClock();
  class Store extends RecordingStore {
    resync(): void {
      at.push(clock.monotonic());
    }
  }
  const options = {
    ...list,
    clock,
    store: new Store(),
    resyncMs: 10_000,
    backoff: { initialMs: 15_000, factor: 1, jitter: 0, capMs: 15_000 },
  };
  const { source, stop } = run(
    lw()
      .onList(
        () => page('10'),
        refuse(internal()),
        () => page('10'),
      )
      .onWatch(watch, stream()),
    options,
  );
  await clock.advance(12_000);
  watch.send(errorEvent(expired()));
  await clock.advance(45_000);
  expect([source.lists.length, clock.sleeps]).toEqual([3, [15_000]]); // from 12 s to 27 s it does not watch
  expect(at).toEqual([10_000, 37_000, 47_000, 57_000]);
  await stop();
});

it('lists again for a resync that failed while no watch was open, once a watch is', async () => {
  let resyncs = 0;
  class Store extends RecordingStore {
    resync(): void {
      if (++resyncs === 1) throw new Error('no room');
    }
  }
  const watch = stream();
  const source = lw()
    .onList(
      () => page('10'),
      () => page('20'),
    )
    .onWatch(watch, unreachable(), stream(), stream());
  const { clock, stop } = run(source, { ...list, store: new Store(), resyncMs: 1000 });
  await clock.advance(500);
  watch.send(added(pod('a', 11))).close();
  await clock.advance(5000);
  expect(source.trace.filter((each) => each !== 'probe')).toEqual([
    'list 0',
    'watch 10',
    'watch 11',
    'watch 11',
    'list 11',
    'watch 20',
  ]);
  expect(resyncs).toBeGreaterThan(1);
  await stop();
});

it('a stream is measured: how long it took, how many events and bookmarks it had, and whether it was too short', async () => {
  const watched: unknown[][] = [];
  const metrics = { watched: (...args: unknown[]) => watched.push(args) };
  const watch = stream();
  const source = lw()
    .onList(() => page('10'))
    .onWatch(watch, stream().close(), stream());
  const { clock, stop } = run(source, { ...list, metrics: metrics as never });
  await clock.advance(200);
  watch.send(added(pod('a', 11)), bookmark(12)).close();
  await clock.advance(5000);
  expect(watched).toEqual([[200, 2, false, 'v1/pods'], [0, 0, true, 'v1/pods']]); // biome-ignore format: one list
  await stop();
});

it('relists once for a resync that failed while no watch was open, where a list follows for another reason', async () => {
  let resyncs = 0;
  class Store extends RecordingStore {
    resync(): void {
      if (++resyncs === 1) throw new Error('no room');
    }
  }
  const watch = stream();
  const source = lw()
    .onList(
      () => page('10'),
      () => page('20'),
    )
    .onWatch(watch, unreachable(), refuse(expired()), stream());
  const { clock, errors, stop } = run(source, { ...list, store: new Store(), resyncMs: 1000 });
  await clock.advance(500);
  watch.send(added(pod('a', 11))).close();
  await clock.advance(5000); // the second watch fails at once; the resync during the pause before the third
  expect([resyncs > 1, errors]).toMatchObject([true, [{ status: { code: 410 } }]]);
  expect(source.trace.filter((each) => each !== 'probe')).toEqual([
    'list 0',
    'watch 10',
    'watch 11',
    'watch 11',
    'list 11',
    'watch 20',
  ]);
  await stop();
});

it('keeps one connection at a time, and aborts the one that it leaves', async () => {
  const signals: AbortSignal[] = [];
  const source = lw()
    .onList(() => page('10'))
    .onWatch((_, context) => {
      signals.push(context.signal);
      return stream().send(added(pod('a', 10 + signals.length)));
    });
  const { clock, signal, stop } = run(source, list);
  await clock.advance(450_000);
  expect(signals.map((s) => s.aborted)).toEqual([true, true, true, false]);
  expect(getEventListeners(signal, 'abort')).toHaveLength(2); // the connection, and the guard of its silence
  await stop();
});

it('closes a stream that the source returns too late', async () => {
  let left = false;
  let answer: (stream: AsyncIterable<never>) => void = () => {};
  const late = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise<never>(() => {}),
      return: async () => {
        left = true;
        return { done: true as const, value: undefined };
      },
    }),
  };
  const source = lw()
    .onList(() => page('10'))
    .onWatch(() => new Promise((resolve) => (answer = resolve)));
  const { stop } = run(source, list);
  await settled();
  await stop();
  answer(late);
  await settled();
  expect(left).toBe(true);
});

it('stops reading while the store has no room', async () => {
  let release = () => {};
  class Store extends RecordingStore {
    room(): Promise<void> | undefined {
      return this.calls.length === 2 ? new Promise((resolve) => (release = resolve)) : undefined;
    }
  }
  const watch = stream()
    .send(added(pod('a', 11)))
    .send(added(pod('b', 12)));
  const { store, stop } = run(
    lw()
      .onList(() => page('10'))
      .onWatch(watch),
    { ...list, store: new Store() },
  );
  await settled();
  expect(store.calls).toEqual(['replace 0@10', 'add a']);
  release();
  await settled();
  expect(store.calls).toEqual(['replace 0@10', 'add a', 'add b']);
  await stop();
});

it('refuses invalid options', () => {
  expect(() => new Reflector(lw(), new RecordingStore(), { idleMs: 0 })).toThrow(
    'idleMs must be a positive number of ms, not 0',
  );
  expect(() => new Reflector(lw(), new RecordingStore(), { resyncMs: -1 })).toThrow('resyncMs');
});

it('has the clock of its source, unless it was given one', async () => {
  const [ofSource, own] = [new FakeClock(), new FakeClock()];
  for (const clock of [undefined, own]) {
    const source = withSurroundings(
      lw().onList(() => Promise.reject(new Error('no'))),
      { clock: ofSource },
    );
    const reflector = new Reflector(source, new RecordingStore(), { clock, ...list, logger: silentLogger });
    const ending = new AbortController();
    const running = reflector.run(ending.signal);
    await settled();
    expect([ofSource.pending, own.pending]).toEqual(clock ? [0, 1] : [1, 0]); // the pause before the next attempt
    ending.abort();
    await running;
  }
});

describe('a stored state', () => {
  const stored = { objects: [pod('a', 9)], resourceVersion: '10', at: 0 };
  class RestoringStore extends RecordingStore {
    isRefused = false;

    restore(objects: readonly KubeObject[], resourceVersion: string): void {
      this.calls.push(`restore ${objects.length}@${resourceVersion}`);
      if (this.isRefused) throw new Error('no');
    }
  }
  const begin = async (store: RecordingStore, state = stored) => {
    const source = lw()
      .onList(() => page('20'))
      .onWatch(stream());
    const { stop, reflector } = run(source, { ...list, store, stored: state });
    await settled();
    const [first] = source.trace.filter((each) => each !== 'probe');
    const version = reflector.lastSyncResourceVersion;
    await stop();
    return [first, version, store.calls[0]];
  };

  it('is where a reflector begins, with a watch from its version', async () => {
    expect(await begin(new RestoringStore())).toEqual(['watch 10', '10', 'restore 1@10']);
  });

  it('is not used without a version, by a store that cannot restore, or that refuses it: it lists', async () => {
    const refusing = new RestoringStore();
    refusing.isRefused = true;
    const listed = ['list 0', '20'];
    expect((await begin(refusing)).slice(0, 2)).toEqual(listed);
    expect(await begin(new RecordingStore())).toEqual([...listed, 'replace 0@20']);
    for (const resourceVersion of ['', '0'])
      expect(await begin(new RestoringStore(), { ...stored, resourceVersion })).toEqual([...listed, 'replace 0@20']);
  });
});

it('an idle limit is any time above zero', () => {
  const build = (idleMs: number) => () => new Reflector(lw(), new RecordingStore(), { idleMs });
  expect(build(1)).not.toThrow();
  for (const idleMs of [0, -1]) expect(build(idleMs)).toThrow('idleMs must be a positive number of ms');
});

describe('after a broken stream the server is asked about the last event', () => {
  const lists = [() => page('10', [pod('a', 9), pod('b', 8)]), () => page('12', [pod('a', 12)])];
  const lost = () => networkError('ECONNRESET');

  /** The selection of the first list by which the server was asked about an object. */
  async function askedAfter(...streams: ScriptedStream<KubeObject>[]) {
    const store = new RecordingStore();
    const cache = { get: (key: string) => store.objects.get(key), entries: () => store.objects, isBehind: () => false };
    const source = lw()
      .onList(...lists)
      .onProbe(() => page('20'))
      .onWatch(...streams, stream());
    const { clock, stop } = run(source, { ...list, store, cache });
    await clock.advance(5_000);
    await stop();
    return source.requests.find((r) => r.verb === 'probe' && r.fieldSelector)?.fieldSelector;
  }

  it.each([
    ['a deletion', [deleted(pod('b', 11))], 'b'],
    ['a deletion before a bookmark', [deleted(pod('b', 11)), bookmark(12)], 'b'],
    ['a change after a deletion', [deleted(pod('b', 11)), modified(pod('a', 12))], 'a'],
    ['a new object after a deletion', [deleted(pod('b', 11)), added(pod('c', 12))], 'c'],
  ])('%s', async (_, events, name) => {
    expect(
      await askedAfter(
        stream()
          .send(...events)
          .break(lost()),
      ),
    ).toBe(`metadata.name=${name}`);
  });

  it('or about the newest object of a list that came after a deletion', async () => {
    const ended = stream().send(deleted(pod('b', 11)), errorEvent(expired()));
    expect(await askedAfter(ended, stream().break(lost()))).toBe('metadata.name=a');
  });
});

it('a watch after a stream that ended is opened on the same connection, one after a break on a fresh connection', async () => {
  const fresh: (boolean | undefined)[] = [];
  const opened = (watch: ScriptedStream<KubeObject>) => (_: unknown, context: CallContext) => {
    fresh.push(context.fresh);
    return watch;
  };
  const [first, second, third] = [stream(), stream(), stream()];
  const { clock, stop } = run(
    lw()
      .onList(() => page('10'))
      .onWatch(...[first, second, third].map(opened)),
    list,
  );
  await clock.advance(5000);
  first.send(added(pod('a', 11))).close();
  await clock.advance(5000);
  second.send(added(pod('a', 12))).break(networkError('ECONNRESET'));
  await clock.advance(5000);
  expect(fresh).toEqual([undefined, undefined, true]);
  await stop();
});
