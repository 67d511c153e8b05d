import { describe, expect, it } from 'vitest';
import * as library from '../../src/index.ts';
import { isInformerError } from '../../src/kit/error.ts';
import { eventually } from '../../src/testing/index.ts';
import { CONFIG_MAPS, inProcess } from '../support/in-process.ts';

/** A JavaScript program's view of the library: no types. */
// biome-ignore lint/suspicious/noExplicitAny: what a program without types can pass
type Untyped = any;
const untyped: Untyped = library;

const source = { list: () => new Promise<never>(() => {}), watch: () => new Promise<never>(() => {}) };
const informer = () => new untyped.SharedInformer(source);
const controller = (options: object = {}) => untyped.createController({ name: 'c', reconcile() {}, ...options });

/** What a program passes by mistake, and the words of the refusal. */
const MISTAKES: Readonly<Record<string, readonly [() => unknown, string]>> = {
  'a controller that gets an informer for a source': [
    () => controller({ sources: [informer()] }),
    'a source of a controller needs a name and a function start',
  ],
  'watch of a controller without a source': [() => controller().watch({}), 'needs a name and a function start'],
  'a negative drainMs': [() => controller({ drainMs: -5 }), 'drainMs must be 0 or more, not -5'],
  'a negative cacheSyncTimeoutMs': [
    () => controller({ cacheSyncTimeoutMs: -1 }),
    'cacheSyncTimeoutMs must be 0 or more',
  ],
  'a number for a rate limiter': [
    () => controller({ rateLimiter: 3 }),
    'rateLimiter must be a rate limiter, not number',
  ],
  'a clock without functions': [() => controller({ clock: {} }), 'clock must be a clock, not object'],
  'the console for a logger': [() => controller({ logger: console }), 'logger must be a logger, not object'],
  'a number for metrics': [() => controller({ metrics: 5 }), 'metrics must be a metrics provider, not number'],
  'a controller run without a signal': [() => controller().run(), 'run: signal must be an AbortSignal, not undefined'],
  'a controller run with the AbortController': [
    () => controller().run(new AbortController()),
    'run: signal must be an AbortSignal, not object',
  ],
  'an informer run without a signal': [() => informer().run(), 'run: signal must be an AbortSignal, not undefined'],
  'a factory started without a signal': [
    () => untyped.dynamicInformerFactory({ resource: () => source }).start(),
    'start: signal must be an AbortSignal, not undefined',
  ],
  'a text for a resource type': [
    () => untyped.dynamicInformerFactory({ resource: () => source }).forResource('v1/pods'),
    'forResource takes a resource type: an object with group, version and resource',
  ],
  'waitForSync of one cache that is not in a list': [
    () => untyped.waitForSync(informer()),
    'waitForSync: caches must be a list, not object',
  ],
  'a transform that is not a function': [
    () => informer().setTransform('x'),
    'transform must be a function, not string',
  ],
  'a filter that is not a function': [() => untyped.createFilteringHandler('x', {}), 'filter must be a function'],
  'a queue with a number for a rate limiter': [
    () => new untyped.WorkQueue({ rateLimiter: 3 }),
    'rateLimiter must be a rate limiter, not number',
  ],
  'a key that is not a text': [() => new untyped.WorkQueue().add(undefined), 'the key must be a text, not undefined'],
  'take with a text for a signal': [() => new untyped.WorkQueue().take('x'), 'signal must be an AbortSignal'],
  'a delay as a text': [
    () => new untyped.ItemExponentialFailureRateLimiter('5', 60_000),
    'baseMs must be a number, not string',
  ],
  'limiters that are not in a list': [() => new untyped.MaxOfRateLimiter(5), 'limiters must be a list, not number'],
  'a limiter that is a number': [() => new untyped.MaxOfRateLimiter([3]), 'a limiter must be a rate limiter'],
  'the longest wait of a limiter as a text': [
    () => new untyped.WithMaxWaitRateLimiter(untyped.createControllerRateLimiter(), '5s'),
    'maxMs must be a number, not string',
  ],
  'a source of something that is not an informer': [
    () => untyped.createInformerSource({}, { name: 'x' }),
    'addHandler of the informer must be a function, not undefined',
  ],
  'a source without a name': [() => untyped.createInformerSource(informer(), {}), 'name must be a text, not undefined'],
  'a timer without keys': [() => untyped.createTimerSource({ everyMs: 5 }), 'keys must be a function, not undefined'],
  'a mapping that is not a function': [() => untyped.enqueueMapped('x'), 'map must be a function, not string'],
  'an owner type without a group': [() => untyped.enqueueOwner({ kind: 'K' }), 'group must be a text, not undefined'],
  'a predicate that is a text': [
    () => untyped.andPredicate('generation'),
    'a predicate must be a function, not string',
  ],
  'no predicate to negate': [() => untyped.notPredicate(), 'the predicate must be a function, not undefined'],
  'a rule for an unknown type of event': [
    () => untyped.predicateOf({ delete: () => true }),
    'predicateOf has no option "delete"',
  ],
  'a rule that is not a function': [() => untyped.predicateOf({ deleted: true }), 'deleted must be a function'],
  'a part that is not a function': [() => untyped.changedPredicate('spec'), 'part must be a function, not string'],
  'no test of an update': [() => untyped.updatePredicate(), 'test must be a function, not undefined'],
  'an empty finalizer': [() => untyped.addFinalizer({ metadata: {} }, ''), 'a finalizer is a text such as'],
  'no finalizer': [() => untyped.finalizerStep({ metadata: {} }), 'a finalizer is a text such as'],
  'a retry without an operation': [() => untyped.retryOnConflict(), 'the operation must be a function, not undefined'],
  'createOrUpdate without a callback': [
    () => untyped.createOrUpdate({}, { metadata: { name: 'x' } }),
    'mutate must be a function, not undefined',
  ],
  'an object reconciler without objects': [
    () => untyped.createObjectReconciler({}, () => {}),
    'get of the objects must be a function, not undefined',
  ],
  'no text for a resource type': [() => untyped.parseGvr(undefined), 'undefined is not a group/version/resource'],
  'a logger without a sink': [() => untyped.createLogger(), 'sink must be a function, not undefined'],
  'eventually without a check': [() => eventually(undefined as never), 'check must be a function, not undefined'],
};

const refusalOf = (attempt: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(attempt)
    .then(
      () => expect.unreachable('it was accepted'),
      (error: unknown) => error,
    );

describe('a mistaken argument', () => {
  it.each(Object.entries(MISTAKES))('%s is refused with `argument` and the name of it', async (_, [attempt, words]) => {
    const error = await refusalOf(attempt);
    expect([isInformerError(error, 'argument'), String(error)]).toEqual([true, expect.stringContaining(words)]);
  });

  it.each<[string, (maps: Untyped) => unknown, string]>([
    [
      'create without an object',
      (maps: Untyped) => maps.create(),
      'create: the object must be an object, not undefined',
    ],
    ['create of a text', (maps: Untyped) => maps.create('{}'), 'create: the object must be an object, not string'],
    [
      'update without an object',
      (maps: Untyped) => maps.update(),
      'update: the object must be an object, not undefined',
    ],
    ['patch without options', (maps: Untyped) => maps.patch('a', {}), 'a patch needs a type: one of merge, json'],
    [
      'a JSON patch that is an object',
      (maps: Untyped) => maps.patch('a', {}, { type: 'json' }),
      'the body must be a list',
    ],
    [
      'a merge patch that is a list',
      (maps: Untyped) => maps.patch('a', [], { type: 'merge' }),
      'the body must be an object',
    ],
    [
      'apply without a field manager',
      (maps: Untyped) => maps.patch('a', {}, { type: 'apply' }),
      'needs a fieldManager',
    ],
  ])('%s is refused before anything is sent', async (_, attempt, words) => {
    const { client, sent } = await inProcess();
    const before = sent.length;
    const error = await refusalOf(() => attempt(client.resource(CONFIG_MAPS, { namespace: 'shop' }) as never));
    expect([isInformerError(error, 'argument'), String(error)]).toEqual([true, expect.stringContaining(words)]);
    expect(sent.length).toBe(before);
  });

  it.each(['v1/pods', undefined, { kind: 'Pod' }, { group: '', version: '', resource: 'pods' }])(
    '%j for the type of client.resource is refused, with the form that it needs',
    async (gvr) => {
      const { client } = await inProcess();
      const error = await refusalOf(() => client.resource(gvr as never));
      expect(isInformerError(error, 'argument') && [error.message, error.hint]).toEqual([
        'resource takes a resource type: an object with group, version and resource',
        "for example parseGvr('apps/v1/deployments')",
      ]);
    },
  );
});
