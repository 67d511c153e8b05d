import type { ConnectionState, Continuity } from '../../informer/watch/continuity-ledger.ts';
import { humanDuration } from '../../kit/duration.ts';
import { localTime } from '../../output/timestamps.ts';
import { causeText } from '../session/cause-text.ts';
import type { Server } from '../session/session.ts';
import type { Facts } from './hint.ts';

/**
 * The longest time between two bookmarks of a healthy watch, ms. An older proof is worth a line. Source: kubernetes
 * apiserver/pkg/storage/cacher: a minute, and up to a quarter more.
 */
const BOOKMARK_MS = 75_000;

/** Says how old an answer is from caches without a proof since the last bookmark was due, or without a connection. */
export async function oldCaches({ targets }: Facts, { clock }: Server): Promise<string[]> {
  const now = clock.now();
  const byText = new Map<string, string[]>();
  for (const { informer } of targets) {
    const isOld = informer.continuity.some(({ ageMs = 0, connection }) => ageMs > BOOKMARK_MS || isCut(connection));
    if (!isOld) continue;
    const text = ageText(informer.continuity, now);
    byText.set(text, [...(byText.get(text) ?? []), informer.name]);
  }
  return [...byText].map(([text, names]) => `${names.join(', ')}: ${text}`);
}

const isCut = ({ state }: ConnectionState) => state === 'disconnected';

/** `last proof 3m12s ago, disconnected since 22:14:03: connection refused`: of the source with the oldest proof. */
export function ageText(all: readonly Continuity[], now: number): string {
  const [oldest] = all.toSorted((a, b) => (b.ageMs ?? 0) - (a.ageMs ?? 0));
  const cut = all.map(({ connection }) => connection).find(isCut);
  const age = `last proof ${humanDuration(oldest?.ageMs ?? 0)} ago`;
  if (cut?.state !== 'disconnected') return age;
  const since = localTime(new Date(Math.min(cut.since, now)).toISOString(), 'seconds');
  return `${age}, disconnected since ${since}: ${cut.error === undefined ? cut.why : causeText(cut.error)}`;
}
