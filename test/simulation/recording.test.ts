import { expect, it } from 'vitest';
import { Recording } from '../../src/record/recording.ts';
import { useFolder } from '../support/recording.ts';
import { recordedSeed } from './recorded-seed.ts';

const folder = useFolder();

it.each(Array.from({ length: 5 }, (_, i) => 1 + i * 12))(
  "equals the server's history but for the times that it marks, six seeds from %s on",
  async (first) => {
    let gaps = 0;
    for (let seed = first; seed < first + 6; seed++) {
      const { world, file } = await recordedSeed(seed, folder.file(`${seed}.db`));
      using recording = Recording.open(file);
      const startedAt = world.clock.now() - world.clock.monotonic();
      const sources = recording.sources.map(({ id }) => id);
      const revisions = [...recording.revisionsBetween(sources, 0, Number.MAX_SAFE_INTEGER)];
      const seen = new Set(revisions.map(({ key, version }) => `${key}@${version}`));
      for (const { key, position, at, isSelected } of world.history) {
        if (at === 0 || !isSelected || seen.has(`${key}@${position.version}`)) continue;
        const isMarked = recording.sources
          .filter(({ namespace }) => namespace === '' || key.startsWith(`${namespace}/`))
          .every(({ id }) => {
            if (recording.coverage(id, startedAt + at).kind !== 'seen') return true;
            // an event that came late: its gap begins at a version
            return recording
              .gaps([id])
              .some((gap) => Number(gap.fromVersion) < position.version && position.version <= Number(gap.toVersion));
          });
        expect(isMarked, `seed ${seed}: ${key}@${position.version} at ${at} ms is missing, and not marked`).toBe(true);
      }
      const last = recording.revisionAt(Number.MAX_SAFE_INTEGER);
      const states = sources.flatMap((source) => [...recording.statesAt(source, last)]);
      const versions = states.map(
        ({ key, state }) => `${key}@${(state.object as unknown as VersionedObject).metadata.resourceVersion}`,
      );
      expect(versions.sort(), `seed ${seed}`).toEqual(world.serverState);
      for (const { key, state } of states)
        expect(state.object, `seed ${seed}`).toMatchObject({ ...world.informer.lister.get(key) });
      gaps += recording.gaps(sources).filter(({ until }) => until !== undefined).length;
    }
    expect(gaps).toBeGreaterThan(1);
  },
  60_000,
);

interface VersionedObject {
  readonly metadata: { readonly resourceVersion: string };
}
