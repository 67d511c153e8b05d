import type { WatchTarget } from '../cli/session/informers.ts';
import { clusterStory, type StoryObjects } from '../cli/story/cluster-story.ts';
import type { StoryRange } from '../cli/story/recorded-story.ts';
import { storyTypes } from '../cli/story/story-types.ts';
import { formatGvr, sameGvr } from '../model/gvr.ts';
import type { UnknownObject } from '../model/object.ts';
import type { ResourceType } from '../model/resource-type.ts';
import { plainPainter } from '../output/painter.ts';
import type { Found } from '../query/answer/found.ts';
import { OWNER_UIDS, ownerUidsOf, relatedIn } from '../query/answer/owned-objects.ts';
import { StoryPrinter } from '../story/story-printer.ts';
import type { AgentCaches } from './agent-caches.ts';
import { type PrintedText, printedBy } from './printed-text.ts';

export interface AskedStory {
  readonly found: Found;
  readonly range: StoryRange;
}

/** The story of an object as far as the cluster still knows it, out of the caches. */
export async function cachedStory(
  caches: AgentCaches,
  { found, range }: AskedStory,
  signal: AbortSignal,
): Promise<PrintedText & { readonly targets: readonly WatchTarget[] }> {
  const { session, redactor } = caches;
  const { type, object } = found;
  const { name = '', namespace = '' } = object.metadata;
  const objects = await CachedStoryObjects.of(caches, found, signal);
  const printed = await printedBy(session, signal, ({ io }) =>
    clusterStory(
      { ...session, signal, io, notice: (line) => void io.stderr.write(`${line}\n`) },
      { type, names: [name], versioned: true },
      { namespace, range, logs: undefined, redactor, objects, printer: new StoryPrinter({ painter: plainPainter }) },
    ),
  );
  return { ...printed, targets: objects.targets };
}

/** The objects of a story: what the object owns, through all levels, and the Events and claims of its namespace. */
class CachedStoryObjects implements StoryObjects {
  readonly #found: Found;
  readonly #targets: ReadonlyMap<string, WatchTarget | Error>;
  readonly #related: readonly Found[];

  private constructor(found: Found, targets: ReadonlyMap<string, WatchTarget | Error>) {
    this.#found = found;
    this.#targets = targets;
    const caches = this.targets.map(({ type, informer: { lister } }) => ({
      type,
      get: () => undefined, // owners are not looked for
      ownedBy: (uid: string) => lister.byIndex(OWNER_UIDS, uid),
    }));
    this.#related = relatedIn(caches, [found]);
  }

  static async of(caches: AgentCaches, found: Found, signal: AbortSignal): Promise<CachedStoryObjects> {
    const types = await storyTypes(found.type, caches.session.client);
    const cached = types.map(async ({ gvr }): Promise<[string, WatchTarget | Error]> => {
      try {
        const { targets } = await caches.targetsOf(formatGvr(gvr));
        const target = targets[0] as WatchTarget;
        const { informer } = target;
        if (!informer.lister.hasIndex(OWNER_UIDS))
          await informer.buildIndexers({ [OWNER_UIDS]: ownerUidsOf }, signal).catch((error: unknown) => {
            if (!informer.lister.hasIndex(OWNER_UIDS)) throw error; // another call has built it meanwhile
          });
        return [formatGvr(gvr), target];
      } catch (error) {
        return [formatGvr(gvr), error as Error];
      }
    });
    return new CachedStoryObjects(found, new Map(await Promise.all(cached)));
  }

  /** The caches that could be read. */
  get targets(): WatchTarget[] {
    return [...this.#targets.values()].filter((each): each is WatchTarget => !(each instanceof Error));
  }

  async get(): Promise<UnknownObject> {
    return this.#found.object as UnknownObject;
  }

  async list(type: ResourceType, namespace: string): Promise<readonly UnknownObject[]> {
    const target = this.#targets.get(formatGvr(type.gvr));
    if (target instanceof Error) throw target;
    const isOfNamespace = type.kind === 'Event' || type.kind === 'PersistentVolumeClaim';
    const objects = isOfNamespace
      ? (target?.informer.lister.view({ namespace }) ?? [])
      : this.#related.filter((each) => sameGvr(each.type.gvr, type.gvr)).map(({ object }) => object);
    return objects as readonly UnknownObject[];
  }
}
