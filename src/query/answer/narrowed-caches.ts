import type { ResourceType } from '../../model/resource-type.ts';
import { samplesOf } from '../../cli/session/initial-list-advice.ts';
import type { Sample } from '../../cli/session/path-advice.ts';
import type { Session } from '../../cli/session/session.ts';
import { unnarrowedSamples } from '../../cli/session/unnarrowed.ts';
import type { Holding } from './holding.ts';
import type { PushedDown } from './push-down.ts';
import type { QueryPlan } from '../../cli/query/question.ts';

/** Caches for which a server selected a part of the objects by the lookups and filters of the question. */
export class NarrowedCaches {
  readonly #parts: ReadonlyMap<ResourceType, PushedDown>;
  readonly #plan: Pick<QueryPlan, 'selector' | 'fieldSelector' | 'shard' | 'namespaces'>;
  readonly #session: Pick<Session, 'client' | 'signal'>;

  constructor(
    parts: ReadonlyMap<ResourceType, PushedDown>,
    plan: Pick<QueryPlan, 'selector' | 'fieldSelector' | 'shard' | 'namespaces'>,
    session: Pick<Session, 'client' | 'signal'>,
  ) {
    this.#parts = parts;
    this.#plan = plan;
    this.#session = session;
  }

  /** What the server did for a type; undefined if its cache has everything that was asked for. */
  of(type: ResourceType): PushedDown | undefined {
    return this.#parts.get(type);
  }

  /**
   * Some objects of the types as if nothing had been pushed down, for hints on an empty answer: whether there is
   * anything at all, and which values are near. Types that are not narrowed are not listed again.
   */
  async unnarrowed(holdings: readonly Holding[]): Promise<Sample[]> {
    const { namespaces } = this.#plan;
    return (
      await Promise.all(
        holdings.map(async (holding) => {
          const { type, names, namespaces: own } = holding;
          if (!this.#parts.has(type)) return [samplesOf(holding)];
          const scope = { type, names, namespaces: own && namespaces };
          return unnarrowedSamples([scope], { ...this.#plan, as: 'object' }, this.#session);
        }),
      )
    ).flat();
  }
}
