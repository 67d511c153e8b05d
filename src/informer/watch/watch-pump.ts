import { InformerError, messageOf } from '../../kit/error.ts';
import type { Logger } from '../../kit/logger.ts';
import type { GroupVersionKind } from '../../model/gvr.ts';
import { formatGroupVersion } from '../../model/gvr.ts';
import { joinKey, keyOf } from '../../model/key.ts';
import { hasMetadata, type KubeObject } from '../../model/object.ts';
import type { ResourceVersion } from '../../model/resource-version.ts';
import { isStatus, StatusError } from '../../model/status.ts';
import { UnreadableObject } from '../../model/unreadable.ts';
import { isInitialEventsEnd, type WatchEvent } from '../../model/watch-event.ts';

/** The target of the changes in a batch. */
export interface PumpTarget<T> {
  add(object: T): void;
  update(object: T): void;
  delete(object: T): void;
  bookmark?(resourceVersion: ResourceVersion): void;
  /** Called with the version of each event before delivery. An error that it throws ends the batch there. */
  expects?(resourceVersion: ResourceVersion): void;
  /** Called for each event that moves the position, with its version. */
  reached(resourceVersion: ResourceVersion): void;
}

export interface PumpOptions {
  logger: Logger;
  /** The expected kind. Objects of another kind are skipped. */
  expect?: GroupVersionKind | undefined;
  /** Called for each event that is not stored, because the target threw or the object could not be read. */
  onRefused?: (error: InformerError) => void;
  /** Stop after the bookmark that ends the initial events. */
  untilInitialEventsEnd?: boolean;
}

/** The content of a batch. */
export interface Pumped {
  readonly events: number;
  readonly bookmarks: number;
  /** The index after the end bookmark, when the pump was to stop there and it came. */
  readonly stoppedAt?: number;
  /** The ERROR event that ended the batch. Everything before it was delivered. */
  readonly error?: Error;
}

/**
 * Delivers one batch to a target, in order, up to an ERROR event.
 * An object that could not be read is reported to `onRefused` and moves the position. Among initial events it is an
 * error, because the object would seem deleted. An object that does not belong (another kind, a Table, no metadata) is
 * logged, and neither stored nor counted. An unknown event type is logged and moves the position. An error of the
 * target is logged and reported to `onRefused`, and the stream continues.
 * Source: client-go tools/cache/reflector.go handleAnyWatch.
 */
export function pump<T>(batch: readonly WatchEvent<T>[], target: PumpTarget<T>, options: PumpOptions): Pumped {
  let events = 0;
  let bookmarks = 0;
  for (let i = 0; i < batch.length; i++) {
    const event = batch[i] as WatchEvent<T>;
    if (event.type === 'ERROR') return { events, bookmarks, error: errorOf(event.object) };
    const object: unknown = event.object;
    if (object instanceof UnreadableObject) {
      if (options.untilInitialEventsEnd) return { events, bookmarks, error: object.error };
      options.logger.error('a watch event was not stored', { type: event.type, error: object.error });
      options.onRefused?.(notRead(event.type, object));
      if (object.metadata.resourceVersion) target.reached(object.metadata.resourceVersion);
      events++;
      continue;
    }
    if (!belongs(object, options)) continue;
    const version = object.metadata.resourceVersion;
    const unexpected = version ? thrownBy(() => target.expects?.(version)) : undefined;
    if (unexpected) return { events, bookmarks, error: unexpected };
    deliver(event, target, options);
    if (version) target.reached(version);
    if (event.type !== 'BOOKMARK') {
      events++;
      continue;
    }
    bookmarks++;
    if (options.untilInitialEventsEnd && isInitialEventsEnd(object)) return { events, bookmarks, stoppedAt: i + 1 };
  }
  return { events, bookmarks };
}

function thrownBy(run: () => void): Error | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

function errorOf(object: unknown): Error {
  if (isStatus(object)) return new StatusError(object);
  return new InformerError('watch', `the server sent an ERROR event with ${kindOf(object)} in place of a Status`);
}

/** The kind of a value, without its contents, which may be a Secret's. */
function kindOf(object: unknown): string {
  const { kind } = (object ?? {}) as { kind?: unknown };
  return typeof kind === 'string' ? kind : typeof object;
}

/**
 * Whether an object is a Table. This package never requests one. Other groups may have a kind of that name. Source:
 * client-go reflector.go.
 */
export function isTableResponse(object: { apiVersion?: unknown; kind?: unknown }): boolean {
  return (
    object.kind === 'Table' && (object.apiVersion === 'meta.k8s.io/v1' || object.apiVersion === 'meta.k8s.io/v1beta1')
  );
}

function belongs(object: unknown, { expect, logger, onRefused }: PumpOptions): object is KubeObject {
  if (!hasMetadata(object)) {
    logger.error('a watch event without metadata was skipped', { kind: kindOf(object) });
    onRefused?.(
      new InformerError('store', `a watch event without metadata was not stored: its object is ${kindOf(object)}`),
    );
    return false;
  }
  if (isTableResponse(object)) {
    logger.error('a watch event with a Table was skipped', { apiVersion: object.apiVersion });
    return false;
  }
  if (!expect || (object.kind === expect.kind && object.apiVersion === formatGroupVersion(expect))) return true;
  logger.error('a watch event of another kind was skipped', {
    expected: expect,
    kind: object.kind,
    apiVersion: object.apiVersion,
  });
  return false;
}

function deliver<T>(event: WatchEvent<T>, target: PumpTarget<T>, { logger, onRefused }: PumpOptions): void {
  try {
    switch (event.type) {
      case 'ADDED':
        target.add(event.object);
        return;
      case 'MODIFIED':
        target.update(event.object);
        return;
      case 'DELETED':
        target.delete(event.object);
        return;
      case 'BOOKMARK':
        target.bookmark?.(event.object.metadata.resourceVersion ?? '');
        return;
      default:
        logger.error('a watch event of an unknown type was not stored', { type: (event as { type: unknown }).type });
    }
  } catch (error) {
    logger.error('the store refused a watch event', { type: event.type, error });
    onRefused?.(refusal(event, error));
  }
}

function notRead(type: string, { metadata: { namespace, name }, error }: UnreadableObject): InformerError {
  const whose = name === undefined ? 'an object' : JSON.stringify(joinKey(namespace, name));
  return new InformerError('store', `${type} of ${whose} was not stored: ${messageOf(error)}`, {
    cause: error,
    hint: error.hint,
  });
}

function refusal({ type, object }: WatchEvent<unknown>, error: unknown): InformerError {
  const { namespace, name = '', resourceVersion } = (object as KubeObject).metadata;
  return new InformerError(
    'store',
    `${type} of "${joinKey(namespace, name)}" at ${resourceVersion} was not stored: ${messageOf(error)}`,
    {
      cause: error,
    },
  );
}

/**
 * Collects the initial events of a streaming list. No reader sees them before the end bookmark.
 * The ADDED events come in no order of versions. Only the bookmark's version, the last one, has a meaning.
 */
export class InitialEvents<T> implements PumpTarget<T> {
  readonly #objects = new Map<string, T>();
  readonly #arrived: (object: T) => T;
  resourceVersion: ResourceVersion = '';

  constructor(arrived: (object: T) => T = (object) => object) {
    this.#arrived = arrived;
  }

  get objects(): T[] {
    return [...this.#objects.values()];
  }

  add(object: T): void {
    this.#objects.set(keyOf(object), this.#arrived(object));
  }

  update(object: T): void {
    this.add(object);
  }

  delete(object: T): void {
    this.#objects.delete(keyOf(object));
  }

  reached(resourceVersion: ResourceVersion): void {
    this.resourceVersion = resourceVersion;
  }
}
