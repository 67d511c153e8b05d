import type { ContinuityReporter } from '../cli/outage/continuity-reporter.ts';
import { createTargets, type WatchTarget } from '../cli/session/informers.ts';
import type { Session } from '../cli/session/session.ts';
import { abortable, scope } from '../kit/abort.ts';
import type { MetricsProvider } from '../kit/metrics.ts';
import type { ResourceType } from '../model/resource-type.ts';

/** The objects that a cache has. */
export interface CacheSelection {
  readonly type: ResourceType;
  readonly namespaces: readonly string[];
  readonly names: readonly string[];
  readonly selector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly resyncMs: number | undefined;
}

/** A cache in use. Disposal gives it back; the last one ends it. */
export interface CacheUse extends Disposable {
  readonly target: WatchTarget;
}

export interface CachesOptions {
  readonly session: Session;
  readonly idleMs: number | undefined;
  readonly metrics: MetricsProvider | undefined;
  readonly reporter: () => ContinuityReporter;
}

/** The caches of all bindings: those that select the same objects share one. */
export class Caches {
  readonly #options: CachesOptions;
  readonly #used = new Map<string, { target: WatchTarget; users: number; end: () => void; ended: Promise<void> }>();

  /** The informers of the caches; the list changes with them. */
  readonly informers: WatchTarget['informer'][] = [];

  constructor(options: CachesOptions) {
    this.#options = options;
  }

  get targets(): WatchTarget[] {
    return [...this.#used.values()].map(({ target }) => target);
  }

  /** The cache of a selection, which runs from now on. */
  use(selection: CacheSelection): CacheUse {
    const { type, ...rest } = selection;
    const id = JSON.stringify([type.gvr, rest]);
    const used = this.#used.get(id) ?? this.#begin(id, selection);
    used.users++;
    let isUsed = true;
    return {
      target: used.target,
      [Symbol.dispose]: () => {
        if (!isUsed) return;
        isUsed = false;
        if (--used.users > 0) return;
        this.#used.delete(id);
        this.informers.splice(this.informers.indexOf(used.target.informer), 1);
        used.end();
      },
    };
  }

  /** Resolves when the caches are synced. Rejects with the reason why one of them never will be. */
  async synced(targets: readonly WatchTarget[], signal: AbortSignal): Promise<void> {
    const { session } = this.#options;
    using waiting = scope(signal);
    const refused = targets.map(async (target) => {
      await abortable(target.refused, waiting.signal);
      throw await target.explain(session);
    });
    const synced = Promise.all(targets.map(({ informer }) => informer.whenSynced(waiting.signal)));
    await Promise.race([synced, ...refused]);
  }

  /** Resolves when every cache has ended. */
  async end(): Promise<void> {
    const ended = [...this.#used.values()].map((each) => {
      each.end();
      return each.ended;
    });
    await Promise.all(ended);
  }

  #begin(id: string, { type, namespaces, names, selector, fieldSelector, resyncMs }: CacheSelection) {
    const { session, idleMs, metrics, reporter } = this.#options;
    const [target] = createTargets(session, [{ type, names, versioned: true }], {
      namespaces,
      selector,
      fieldSelector,
      as: 'object',
      keepManagedFields: true,
      passing: (source) => source, // a monitor keeps the objects anyway: a cache that compresses them saves nothing
      verifyEveryMs: resyncMs,
      idleMs,
      metrics,
      onContinuity: (event, of) => reporter().observe(event, of),
    }) as [WatchTarget];
    const ending = new AbortController();
    const ended = target.informer.run(AbortSignal.any([session.signal, ending.signal]));
    const used = { target, users: 0, end: () => ending.abort(), ended };
    this.#used.set(id, used);
    this.informers.push(target.informer);
    return used;
  }
}
