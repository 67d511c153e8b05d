import type { ScopedSource } from '../../informer/informer-options.ts';
import { SharedInformer } from '../../informer/shared-informer.ts';
import { troubleOf } from '../../informer/sync-result.ts';
import type { ListerWatcher } from '../../informer/watch/lister-watcher.ts';
import { abortable, scope } from '../../kit/abort.ts';
import { type Clock, systemClock } from '../../kit/clock.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../../kit/known-options.ts';
import type { Logger } from '../../kit/logger.ts';
import { noMetrics } from '../../kit/metrics.ts';
import { surroundingsOf } from '../../kit/surroundings.ts';
import { formatGroupResource, formatGvr, type GroupVersionResource } from '../../model/gvr.ts';
import { type ObjectKey, splitKey } from '../../model/key.ts';
import type { DeepReadonly, ReadonlyKubeObject, ReadonlyObject, UnknownObject } from '../../model/object.ts';
import { pathSegment } from '../../model/path-segment.ts';
import { isForbidden, isNotFound, isUnauthorized } from '../../model/status.ts';
import { asCondition, type ObjectCondition } from './object-condition.ts';

/** Options of {@link untilCondition}. */
export interface UntilOptions {
  /** Ends the wait with its reason. */
  signal?: AbortSignal | undefined;
  /** The longest wait, ms. Default: without end. */
  timeoutMs?: number | undefined;
  clock?: Clock | undefined;
  logger?: Logger | undefined;
}

const KNOWN_OPTIONS = {
  signal: 'signal',
  timeoutMs: 'number',
  clock: 'clock',
  logger: 'logger',
} satisfies KnownOptionsOf<UntilOptions>;

/** A client, or anything else that lists and watches the objects of a type. */
export interface UntilClient {
  resource<T extends ReadonlyKubeObject>(
    gvr: GroupVersionResource,
    options: { namespace?: string | undefined },
  ): ListerWatcher<T>;
  /** Says which types have namespaces. Without it a key of the wrong form waits for an object that cannot exist. */
  readonly discovery?:
    | { snapshot(): Promise<{ types: readonly { gvr: GroupVersionResource; namespaced: boolean }[] }> }
    | undefined;
}

/** A condition, or a function of the object; the object is undefined if it does not exist. */
export type Until<T> = ObjectCondition<T> | ObjectCondition | ((object: DeepReadonly<T> | undefined) => boolean);

/**
 * Waits until one object meets a condition. Resolves with its state at that moment; undefined if it does not exist.
 *
 * Promises: the condition is asked about the state at the beginning and about each change after it, in order, so a state
 * that does not last is seen too. A broken connection is repaired as by any informer. Nothing is left behind.
 *
 * With a client, an informer for the key is created, which needs the right to list and watch that name. An informer of
 * the caller must be running, and must cache the key.
 *
 * Rejects with `sync` after `timeoutMs`: the message says what was missing, and the hint what delays the connection.
 * Rejects with the signal's reason, with what the condition throws, with the server's error if the type may not be read
 * or is not served, and with `closed` if the informer stops. Source: client-go tools/watch.UntilWithSync, kube-rs
 * runtime::wait.
 * @example
 * await untilCondition(client, DEPLOYMENTS, 'shop/web', rolledOut().and(hasCondition('Available')), { timeoutMs: 60_000 });
 */
export function untilCondition<T extends ReadonlyKubeObject = UnknownObject>(
  source: UntilClient | SharedInformer<T>,
  gvr: GroupVersionResource,
  key: ObjectKey,
  condition: Until<T>,
  options?: UntilOptions,
): Promise<DeepReadonly<T> | undefined>;
/** Waits until all these objects meet the condition at the same time. Resolves with their states, in this order. */
export function untilCondition<T extends ReadonlyKubeObject = UnknownObject>(
  source: UntilClient | SharedInformer<T>,
  gvr: GroupVersionResource,
  keys: readonly ObjectKey[],
  condition: Until<T>,
  options?: UntilOptions,
): Promise<(DeepReadonly<T> | undefined)[]>;
export async function untilCondition<T extends ReadonlyKubeObject>(
  source: UntilClient | SharedInformer<T>,
  gvr: GroupVersionResource,
  keys: ObjectKey | readonly ObjectKey[],
  condition: Until<T>,
  options: UntilOptions = {},
): Promise<unknown> {
  checkOptions('untilCondition', options, KNOWN_OPTIONS);
  const { timeoutMs, signal } = options;
  if (timeoutMs !== undefined && !(timeoutMs >= 0))
    throw new InformerError('argument', `timeoutMs must be a number not below 0, not ${timeoutMs}`);
  const wanted = typeof keys === 'string' ? [keys] : [...new Set(keys)];
  checkKeys(wanted);
  const wait = new ConditionWait(asCondition(condition as Until<ReadonlyObject>), gvr, wanted);
  signal?.throwIfAborted();
  using waiting = scope(signal);
  const { clock = surroundingsOf(source).clock ?? systemClock } = options;
  const giveUp = () => waiting.abort(reasonOf(() => wait.notMet(timeoutMs ?? 0)));
  using _timer = timeoutMs === undefined ? undefined : clock.after(timeoutMs, giveUp);
  const found = source instanceof SharedInformer ? source : undefined;
  if (found) await wait.run(found as unknown as SharedInformer<ReadonlyObject>, waiting.signal);
  else {
    await checkScope(source as UntilClient, gvr, wanted, waiting.signal);
    await ownInformer(source as UntilClient, gvr, wanted, options, (informer) => wait.run(informer, waiting.signal));
  }
  const states = wanted.map((key) => wait.states.get(key));
  return typeof keys === 'string' ? states[0] : states;
}

/**
 * The result of `describe`, or the error that it throws: it asks the condition, and no caller would get an error of a
 * timer.
 */
function reasonOf(describe: () => InformerError): unknown {
  try {
    return describe();
  } catch (error) {
    return error;
  }
}

function checkKeys(keys: readonly ObjectKey[]): void {
  if (keys.length === 0) throw new InformerError('argument', 'untilCondition needs at least one key');
  for (const key of keys) {
    if (typeof key !== 'string') throw new InformerError('argument', 'a key must be a text such as shop/web');
    const { namespace, name } = splitKey(key);
    pathSegment(name, 'the name of the object');
    if (key.includes('/')) pathSegment(namespace, 'the namespace of the object');
  }
}

/** A key of the wrong form names an object that cannot exist. */
async function checkScope(
  { discovery }: UntilClient,
  gvr: GroupVersionResource,
  keys: readonly ObjectKey[],
  signal: AbortSignal,
): Promise<void> {
  if (!discovery) return;
  const { types } = await abortable(discovery.snapshot(), signal);
  const type = types.find((each) => formatGvr(each.gvr) === formatGvr(gvr));
  const wrong = type && keys.find((key) => key.includes('/') !== type.namespaced);
  if (wrong === undefined || !type) return;
  throw new InformerError(
    'argument',
    type.namespaced
      ? `${formatGroupResource(gvr)} have namespaces: ${JSON.stringify(wrong)} has none`
      : `${formatGroupResource(gvr)} have no namespaces: ${JSON.stringify(wrong)} has one`,
    { hint: type.namespaced ? `write it as NAMESPACE/${wrong}` : `write it as ${splitKey(wrong).name}` },
  );
}

/** Runs a task with an informer of these keys only. A task also ends when the type cannot be read. */
async function ownInformer(
  client: UntilClient,
  gvr: GroupVersionResource,
  keys: readonly ObjectKey[],
  { clock, logger }: UntilOptions,
  task: (informer: SharedInformer<ReadonlyObject>) => Promise<void>,
): Promise<void> {
  using running = scope();
  const refused = Promise.withResolvers<never>();
  refused.promise.catch(() => {});
  const sources = keys.map((key): ScopedSource<ReadonlyObject> => {
    const { namespace, name } = splitKey(key);
    const scoped = namespace === '' ? undefined : namespace;
    return { source: client.resource(gvr, { namespace: scoped }), namespace: scoped, name };
  });
  const informer = new SharedInformer<ReadonlyObject>(sources, {
    name: formatGvr(gvr),
    resource: gvr,
    clock,
    logger,
    metrics: noMetrics, // it ends with the wait
    onWatchError: (error) => {
      if (isForbidden(error) || isUnauthorized(error) || isNotFound(error)) refused.reject(error);
    },
  });
  const run = informer.run(running.signal);
  try {
    await Promise.race([task(informer), refused.promise, run.then(() => refused.promise)]);
  } finally {
    running.abort();
    await run.catch(() => {});
  }
}

/** The states of the keys so far, and whether they meet the condition. */
class ConditionWait {
  readonly #condition: ObjectCondition;
  readonly #gvr: GroupVersionResource;
  readonly #keys: readonly ObjectKey[];
  readonly states = new Map<ObjectKey, ReadonlyObject>();
  #informer: SharedInformer<ReadonlyObject> | undefined;
  #hasSynced = false;

  constructor(condition: ObjectCondition, gvr: GroupVersionResource, keys: readonly ObjectKey[]) {
    this.#condition = condition;
    this.#gvr = gvr;
    this.#keys = keys;
  }

  /** Resolves when the condition is met, with no change after that. */
  async run(informer: SharedInformer<ReadonlyObject>, signal: AbortSignal): Promise<void> {
    this.#informer = informer;
    const keys = new Set(this.#keys);
    for await (const event of informer.events({ signal })) {
      if (event.kind === 'synced') this.#hasSynced = true;
      else if (!keys.has(event.key)) continue;
      else if (event.kind === 'deleted') this.states.delete(event.key);
      else this.states.set(event.key, event.object);
      if (this.#hasSynced && this.#isMet()) return;
    }
    signal.throwIfAborted();
    throw new InformerError(
      'closed',
      `the informer of ${informer.name} stopped before ${this.#condition.text} was met`,
    );
  }

  /** The error of a wait that took too long. */
  notMet(timeoutMs: number): InformerError {
    const informer = this.#informer;
    const after = `within ${timeoutMs / 1000}s`;
    const trouble = informer?.lastError;
    const hint = trouble === undefined ? undefined : `the connection: ${messageOf(trouble)}`;
    if (!informer || !this.#hasSynced) {
      const why = informer ? messageOf(troubleOf(informer)) : 'the server has not answered yet';
      const what = `${formatGroupResource(this.#gvr)} ${this.#keys.join(', ')}`;
      return new InformerError('sync', `the state of ${what} is not known ${after}: ${why}`, { cause: trouble });
    }
    const missing = this.#keys
      .filter((key) => !this.#condition.met(this.states.get(key), this.#gvr))
      .map((key) => `${formatGroupResource(this.#gvr)} ${key}: ${this.#missing(key)}`);
    return new InformerError('sync', `${this.#condition.text} was not met ${after}: ${missing.join('; ')}`, {
      cause: trouble,
      hint,
    });
  }

  #missing(key: ObjectKey): string {
    return this.#condition.missing(this.states.get(key), this.#gvr);
  }

  #isMet(): boolean {
    return this.#keys.every((key) => this.#condition.met(this.states.get(key), this.#gvr));
  }
}
