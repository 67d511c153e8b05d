import { abortable, scope } from '../../kit/abort.ts';
import { isForbidden } from '../../model/status.ts';
import { SeveralErrors } from '../terminal/exit-codes.ts';
import { explainForbiddenTogether, forbiddenTogether } from './forbidden.ts';
import type { WatchTarget } from './informers.ts';
import type { Session } from './session.ts';

/**
 * Runs the informers until the session ends. Unless the command ends at once, a refusal before the initial sync ends it
 * with an error that names every type that is refused: waiting would not repair it.
 */
export async function runTargets(
  targets: readonly WatchTarget[],
  session: Session,
  { once = false, endsWhenRefused = true } = {},
): Promise<void> {
  const running = targets.map(({ informer }) => informer.run(session.signal));
  // rejects when the session has ended already
  if (!once && endsWhenRefused) void endWhenRefused(targets, session).catch(() => {});
  await Promise.all(running);
}

/** How long the other types are waited for once one is refused, so that one error can name all that are. */
const REFUSED_TOGETHER_MS = 2000;

async function endWhenRefused(targets: readonly WatchTarget[], session: Session): Promise<void> {
  await abortable(Promise.race(targets.map(({ refused }) => refused)), session.signal);
  await settledTogether(targets, session);
  session.end(await refusalOf(targets, session));
}

/** Waits for the first states, or refusals, of all; two seconds at most. Rejects with the session's end. */
export async function settledTogether(
  targets: readonly WatchTarget[],
  { signal: ending, clock }: Session,
): Promise<void> {
  using waiting = scope(ending);
  const { signal } = waiting;
  const late = clock.sleep(REFUSED_TOGETHER_MS, { signal });
  await Promise.race([Promise.all(targets.map((target) => target.settled(signal))), late]);
}

/** The errors of the targets that are refused, as one that names all of them. Undefined when none is. Never rejects. */
export async function refusalOf(targets: readonly WatchTarget[], session: Session): Promise<unknown> {
  const others = targets.filter(({ refusal }) => refusal !== undefined && !isForbidden(refusal));
  const errors = await Promise.all(others.map((target) => target.explain(session)));
  const forbidden = targets.filter((target) => target.forbidden.length > 0);
  const [only, ...more] = forbidden;
  if (only === undefined) return SeveralErrors.of(errors);
  const refused = forbidden.flatMap((target) => target.forbidden);
  const isAlone = more.length === 0 && others.length === 0;
  // what works in place of it is asked where nothing was read
  if (forbidden.some(({ refusal }) => refusal === undefined)) errors.push(...forbiddenTogether(refused));
  else if (isAlone) errors.push(...forbiddenTogether(refused).slice(0, -1), await only.explain(session));
  else errors.push(...(await explainForbiddenTogether(refused, session)));
  return SeveralErrors.of(errors);
}
