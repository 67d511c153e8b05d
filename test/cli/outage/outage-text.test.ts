import { expect, it } from 'vitest';
import { outageText } from '../../../src/cli/outage/outage-text.ts';
import type { WatchTarget } from '../../../src/cli/session/informers.ts';
import { localTime } from '../../../src/output/timestamps.ts';
import type { Outage } from '../../../src/stream/outage.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const target = (resource: string, ...namespaces: string[]) =>
  ({
    type: { gvr: { group: '', version: 'v1', resource } },
    namespaces,
    informer: { continuity: namespaces.map(() => ({})) },
  }) as unknown as WatchTarget;
const outage = (of: WatchTarget, scope: string, since: number): Outage<WatchTarget> =>
  ({ target: of, scope, since, ms: NOON + 95_000 - since }) as Outage<WatchTarget>;
const at = (ms: number) => localTime(new Date(ms).toISOString(), 'seconds');

const [pods, maps] = [target('pods', 'shop'), target('configmaps', 'shop', 'db')];

it('says it once of all that broke within a second, without names when it is everything', () => {
  const all = [outage(maps, 'db', NOON + 999), outage(pods, 'shop', NOON), outage(maps, 'shop', NOON + 400)];
  expect(outageText(all, [pods, maps])).toBe(`disconnected since ${at(NOON)}, 95s not seen`);
});

it('names what was not connected where something was, or where it broke at another time', () => {
  expect(outageText([outage(maps, 'db', NOON)], [pods, maps])).toBe(
    `configmaps in db disconnected since ${at(NOON)}, 95s not seen`,
  );
  expect(outageText([outage(pods, 'shop', NOON), outage(maps, 'db', NOON + 60_000)], [pods, maps])).toBe(
    `pods disconnected since ${at(NOON)}, 95s not seen; configmaps in db disconnected since ${at(NOON + 60_000)}, 35s not seen`,
  );
  expect(outageText([], [pods, maps])).toBe('');
});
