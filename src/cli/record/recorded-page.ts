import { createClient } from '../../client/client.ts';
import { SharedInformer } from '../../informer/shared-informer.ts';
import { systemClock } from '../../kit/clock.ts';
import { InformerError } from '../../kit/error.ts';
import { silentLogger } from '../../kit/logger.ts';
import { formatGvr, sameGvr } from '../../model/gvr.ts';
import type { UnknownObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { valuePair } from '../../output/value-text.ts';
import { momentText } from '../../record/moments.ts';
import { RecordedApi } from '../../record/recorded-api.ts';
import { Recording } from '../../record/recording.ts';
import type { PastType, UiCache, UiPast } from '../../serve/ui/ui-program.ts';
import { recordedTimeline } from '../../timeline/recorded-timeline.ts';
import type { Timeline } from '../../timeline/timeline.ts';

/** The objects that a page draws; of more those that changed most. */
const MOST_LANES = 12;
const MOST_CHANGES = 400;
const LONGEST_VALUE = 200;
/** A list out of a recording is read at once; a moment that takes longer than this is given up, ms. */
const LONGEST_MS = 60_000;

/** The recording of a serve for its page. The file is open only while it is read. */
export class RecordedPage implements UiPast {
  readonly #file: string;
  readonly #mostObjects: number;
  /** The caches of the last moment, by type and namespace: rows and object ask for it one after the other. */
  #last: { readonly moment: number; readonly caches: Map<string, Promise<UiCache>> } | undefined;

  /** `mostObjects`: those of a moment that the page reads. The serve does nothing else meanwhile: about 0.5 ms for each. */
  constructor(file: string, { mostObjects = 3000 } = {}) {
    this.#file = file;
    this.#mostObjects = mostObjects;
  }

  get types(): UiPast['types'] {
    using recording = Recording.open(this.#file);
    return typesOf(recording).map(({ gvr, namespaced }) => ({ id: formatGvr(gvr), namespaced }));
  }

  timeline({ type: id, namespace, name, until }: Parameters<UiPast['timeline']>[0]): Timeline | undefined {
    using recording = Recording.open(this.#file);
    const type = typeNamed(recording, id);
    return recordedTimeline(recording, {
      type,
      name,
      namespace: type.namespaced ? namespace : undefined,
      until,
      mostLanes: MOST_LANES,
      mostChanges: MOST_CHANGES,
      values: (before, after) => valuePair(before, after, LONGEST_VALUE),
    });
  }

  async at(moment: number, types: readonly PastType[]): Promise<readonly UiCache[]> {
    if (this.#last?.moment !== moment) this.#last = { moment, caches: new Map() };
    const { caches } = this.#last;
    return await Promise.all(
      types.map((wanted) => {
        const key = `${wanted.id} ${wanted.namespace ?? ''}`;
        const known = caches.get(key) ?? this.#cacheAt(moment, wanted);
        caches.set(key, known);
        return known;
      }),
    );
  }

  async #cacheAt(moment: number, { id, namespace }: PastType): Promise<UiCache> {
    using recording = Recording.open(this.#file);
    const type = typeNamed(recording, id);
    this.#refuseMany(recording, type, moment, namespace);
    const clock = { ...systemClock, now: () => moment };
    const client = createClient(new RecordedApi({ recording, at: moment }), { clock, logger: silentLogger });
    const place = namespace === undefined ? {} : { namespace };
    const source = client.resource<UnknownObject>(type.gvr, { ...place, as: { table: 'Object' } });
    const informer = new SharedInformer<UnknownObject>(source, { name: id, clock, logger: silentLogger });
    const ending = new AbortController();
    const running = informer.run(ending.signal);
    try {
      await informer.whenSynced(AbortSignal.timeout(LONGEST_MS));
    } finally {
      ending.abort();
      await running.catch(() => {});
      await client.close();
    }
    return { id, type, informer };
  }

  /** Throws `argument` where reading a moment would hold up all that the serve does for seconds. */
  #refuseMany(recording: Recording, type: ResourceType, moment: number, namespace: string | undefined): void {
    const revision = recording.revisionAt(moment);
    const sources = recording.sources.filter((source) => sameGvr(source.type.gvr, type.gvr));
    const count = sources.reduce((sum, { id }) => sum + recording.countAt(id, revision, namespace), 0);
    if (count <= this.#mostObjects) return;
    const { resource } = type.gvr;
    throw new InformerError(
      'argument',
      `${count} ${resource}: of a moment the page reads at most ${this.#mostObjects}`,
      {
        hint: `query ${resource} --at ${momentText(moment)} --from FILE reads them in a process of its own`,
      },
    );
  }
}

const typesOf = ({ sources }: Recording): ResourceType[] => [
  ...new Map(sources.map(({ type }) => [formatGvr(type.gvr), type])).values(),
];

function typeNamed(recording: Recording, id: string): ResourceType {
  const type = typesOf(recording).find(({ gvr }) => formatGvr(gvr) === id);
  if (type) return type;
  throw new InformerError('argument', `${id} is not in the recording`);
}
