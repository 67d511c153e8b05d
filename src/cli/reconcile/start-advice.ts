import { samplesOf } from '../../query/answer/samples.ts';
import { absentNamespaces } from '../session/absent-namespaces.ts';
import type { WatchTarget } from '../session/informers.ts';
import { countText, pathAdvice } from '../session/path-advice.ts';
import type { Session } from '../session/session.ts';
import type { MappedType } from './key-map.ts';
import type { ReconcilePlan } from './plan.ts';
import { emptySnapshots } from './snapshots.ts';
import type { ReconcileTargets } from './targets.ts';

/**
 * Says after the first states which namespaces do not exist, which fields that expressions name are in none of the objects, which `--map` leads no
 * object to a reconciled one, and which snapshot of `--with` is empty. Never rejects.
 */
export async function adviseAtStart(
  session: Session,
  plan: ReconcilePlan,
  { primary, watched, snapshots }: ReconcileTargets,
): Promise<void> {
  const indexes = plan.indexes.map(({ name, reads = [] }) => ({ flag: `--index ${name}`, addresses: reads }));
  const say = (line: string | undefined) => line !== undefined && !session.signal.aborted && session.notice(line);
  try {
    await primary.informer.whenSynced(session.signal);
    for (const line of await absentNamespaces(plan, [samplesOf(primary)], session)) say(line);
    const reads = [...plan.filters.reads, ...indexes, ...(plan.hook.reads ? [plan.hook.reads] : [])];
    for (const line of await pathAdvice(reads, [samplesOf(primary)], session)) say(line);
    for (const [i, target] of watched.entries()) {
      const map = plan.watches[i] as MappedType;
      await target.informer.whenSynced(session.signal);
      const reads = [{ flag: '--map', addresses: map.reads ?? [] }];
      const lines = await pathAdvice(reads, [samplesOf(target)], session);
      for (const line of lines) say(line);
      if (lines.length === 0) say(mapAdvice(map, target, primary));
    }
    await Promise.all(snapshots.map(({ target }) => target.informer.whenSynced(session.signal)));
    for (const line of emptySnapshots(snapshots)) say(line);
  } catch {
    // the session ended before the first states were there
  }
}

/** What a map finds in the first states, where none of it is a reconciled object; undefined where something is. */
function mapAdvice(
  { text, keysOf, index }: MappedType,
  watched: WatchTarget,
  primary: WatchTarget,
): string | undefined {
  const [from, to] = [samplesOf(watched), samplesOf(primary)];
  if (from.objects.length === 0 || to.objects.length === 0) return undefined;
  let example: string | undefined;
  for (const object of from.objects) {
    const keys = keysOf(object, primary.informer.lister);
    if (keys.some((key) => primary.informer.lister.has(key))) return undefined;
    example ??= keys[0];
  }
  if (index) return `--map ${text}: none of ${countText([to])} has one of ${countText([from])} in this index`;
  return example === undefined
    ? `--map ${text} finds nothing in ${countText([from])}`
    : `--map ${text}: no key that it finds in ${countText([from])} is one of ${countText([to])}, for example ${example}`;
}
