import type { Client } from '../../client/client.ts';
import { sameGvr } from '../../model/gvr.ts';
import type { UnknownObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { isNotFound } from '../../model/status.ts';
import { treeTypes } from '../../query/answer/tree-types.ts';
import type { Story } from '../../story/story.ts';
import type { ReportingServer } from '../session/session.ts';

/** The types of which a story is made: that of the object, those that may be owned, and Events. */
export async function storyTypes(type: ResourceType, { mapper }: Client): Promise<readonly ResourceType[]> {
  const events = await mapper.find('events');
  const owned = await treeTypes([type], [], { mapper });
  const rest = [...owned, ...(events ? [events] : [])].filter(({ gvr }) => !sameGvr(gvr, type.gvr));
  return [type, ...rest];
}

const NODES = { group: '', version: 'v1', resource: 'nodes' };
const MOST_NODES = 20;

/** Reads the nodes of pods that are not ready into the story. A user who may not read nodes learns it once. */
export class DoubtedNodes {
  readonly #session: ReportingServer;
  readonly #readAt = new Map<string, number>();
  #refusal: unknown;

  constructor(session: ReportingServer) {
    this.#session = session;
  }

  async read(story: Story): Promise<void> {
    const { client, clock, signal } = this.#session;
    const now = clock.now();
    const old = (name: string) => now - (this.#readAt.get(name) ?? Number.NEGATIVE_INFINITY) > READ_AGAIN_MS;
    const names = this.#refusal === undefined ? story.nodesInDoubt().filter(old).slice(0, MOST_NODES) : [];
    await Promise.all(
      names.map(async (name) => {
        this.#readAt.set(name, now);
        try {
          const node = await client.resource<UnknownObject>(NODES).get(name, { signal });
          story.see({ at: now, event: 'ADDED', cause: 'watch', object: node });
        } catch (error) {
          if (isNotFound(error)) story.lacksNode(name);
          else this.#refusal = error;
        }
      }),
    );
  }
}

const READ_AGAIN_MS = 15_000;
