import { expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import { systemClock } from '../../src/kit/clock.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { seededRandom } from '../../src/kit/random.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import { Recording } from '../../src/record/recording.ts';
import { Replay } from '../../src/record/replay.ts';
import { useFolder } from '../support/recording.ts';
import { recordedSeed } from './recorded-seed.ts';

const folder = useFolder();

it.each([101, 111])(
  'of a recording shows each recorded change once, in order, at its time, and the state of each list, four seeds from %s on',
  async (first) => {
    let lists = 0;
    let changes = 0;
    for (let seed = first; seed < first + 4; seed++) {
      const { file } = await recordedSeed(seed, folder.file(`${seed}.db`));
      using recording = Recording.open(file);
      for (const source of recording.sources) {
        const shown = await replayed(recording, source.type.gvr, source.namespace);
        const [begin] = recording.stretches(source.id);
        const revisions = [...recording.revisionsBetween([source.id], 0, Number.MAX_SAFE_INTEGER)];
        const watched = revisions.filter(({ cause, at }) => cause === 'watch' && begin && at >= begin.since);
        expect(shown.watched, `seed ${seed}`).toEqual(
          watched.map(({ event, key, version, at }) => `${event} ${key}@${version} at ${at}`),
        );
        const last = recording.revisionAt(Number.MAX_SAFE_INTEGER);
        const states = [...recording.statesAt(source.id, last)].map(({ key, state }) => [key, versionOf(state.object)]);
        expect(shown.cache, `seed ${seed}`).toEqual(Object.fromEntries(states));
        lists += recording.stretches(source.id).length - 1;
        changes += watched.length;
      }
    }
    expect(lists).toBeGreaterThan(1);
    expect(changes).toBeGreaterThan(50);
  },
  60_000,
);

const WORDS = { added: 'ADDED', updated: 'MODIFIED', deleted: 'DELETED' };

const versionOf = (object: object) => (object as UnknownObject).metadata.resourceVersion;

/** The changes that an informer of a replay gets from its watch, and its cache at the end. */
async function replayed(recording: Recording, gvr: Recording['sources'][number]['type']['gvr'], namespace: string) {
  const random = seededRandom(1);
  const replay = new Replay({ recording, from: 0, speed: Number.POSITIVE_INFINITY, clock: systemClock });
  const client = createClient(replay, { logger: silentLogger, random });
  const source = client.resource(gvr, namespace === '' ? {} : { namespace });
  const informer = new SharedInformer<UnknownObject>(source, { logger: silentLogger, random });
  const watched: string[] = [];
  const see = (kind: keyof typeof WORDS, object: object, { key, cause }: { key: string; cause: string }) => {
    if (cause === 'watch') watched.push(`${WORDS[kind]} ${key}@${versionOf(object)} at ${replay.now}`);
  };
  informer.addHandler({
    added: (object, details) => see('added', object, details),
    updated: (_old, object, details) => see('updated', object, details),
    deleted: (object, details) => see('deleted', object, details),
  });
  const controller = new AbortController();
  const running = informer.run(controller.signal);
  await replay.run(controller.signal);
  const cache = Object.fromEntries(
    [...informer.lister.keys()].map((key) => [key, versionOf(informer.lister.get(key) as object)]),
  );
  controller.abort();
  await running;
  return { watched, cache };
}
