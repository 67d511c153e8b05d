import type { Client } from '../../client/client.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import type { CachedObjects } from './cached-objects.ts';
import type { PushedDown } from './push-down.ts';
import type { ScopedQuery } from './query.ts';
import { type Sample, samplesOf, unfilteredSamples } from './samples.ts';

type PushedDownQuery = Pick<ScopedQuery, 'selector' | 'fieldSelector' | 'part' | 'namespaces'>;

interface Server {
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** Caches for which a server selected a part of the objects by the lookups and filters of the question. */
export class PushedDownCaches {
  readonly #parts: ReadonlyMap<ResourceType, PushedDown>;
  readonly #query: PushedDownQuery;
  readonly #server: Server;

  constructor(parts: ReadonlyMap<ResourceType, PushedDown>, query: PushedDownQuery, server: Server) {
    this.#parts = parts;
    this.#query = query;
    this.#server = server;
  }

  /** The server's selection for a type; undefined if its cache has everything that was asked for. */
  of(type: ResourceType): PushedDown | undefined {
    return this.#parts.get(type);
  }

  /**
   * Some objects of the types as if nothing had been pushed down, for hints on an empty answer: whether there is
   * anything at all, and which values are near. Types whose filters were not pushed down are not listed again.
   */
  async unfiltered(allCached: readonly CachedObjects[]): Promise<Sample[]> {
    const { namespaces } = this.#query;
    return (
      await Promise.all(
        allCached.map(async (cached) => {
          const { type, names, namespaces: own } = cached;
          if (!this.#parts.has(type)) return [samplesOf(cached)];
          const scope = { type, names, namespaces: own && namespaces };
          return unfilteredSamples([scope], { ...this.#query, as: 'object' }, this.#server);
        }),
      )
    ).flat();
  }
}
