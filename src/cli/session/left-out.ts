import { formatGroupResource, formatGvr } from '../../model/gvr.ts';
import { isForbidden } from '../../model/status.ts';
import { describeError } from '../terminal/error-text.ts';
import { forbiddenTogether, type Refused } from './forbidden.ts';
import type { WatchTarget } from './informers.ts';
import { refusalOf, settledTogether } from './refusals.ts';
import type { Session } from './session.ts';

type Readable = Pick<WatchTarget, 'type' | 'refusal' | 'forbidden' | 'namespaces'>;

/** The parts that a stream leaves out: `configmaps, pods in other and third, pods web-2 in shop`. '' for nothing. */
export function leftOutText(targets: readonly Readable[]): string {
  return targets.flatMap(textsOf).join(', ');
}

function textsOf({ type, refusal, forbidden }: Readable): string[] {
  const name = formatGroupResource(type.gvr);
  if (refusal !== undefined) return [name];
  const byNames = Map.groupBy(forbidden, ({ need }) => need.names.join(' '));
  const places = [...byNames].map(([names, same]) => ({
    names,
    namespaces: [...new Set(same.flatMap(({ namespaces }) => namespaces))].filter(Boolean).join(' and '),
  }));
  const byPlace = Map.groupBy(places, ({ namespaces }) => namespaces);
  return [...byPlace].map(([place, same]) => {
    const names = same.map((each) => each.names).join(' ');
    return `${name}${names && ` ${names}`}${place && ` in ${place}`}`;
  });
}

export interface NewlyRefused {
  readonly target: WatchTarget;
  /** [''] = all that was asked for. */
  readonly namespaces: readonly string[];
}

/**
 * Reports what a stream leaves out because it may not be read: one error names all that is refused within two seconds,
 * with the missing rules. Ends the session when nothing may be read, or when the error is of another kind.
 */
export class LeavingOut {
  readonly #session: Session;
  readonly #targets: readonly WatchTarget[];
  readonly #onLeftOut: (refused: readonly NewlyRefused[]) => void;
  readonly #reported = new Set<string>();
  #isReporting = false;

  constructor(
    session: Session,
    targets: readonly WatchTarget[],
    onLeftOut: (refused: readonly NewlyRefused[]) => void,
  ) {
    this.#session = session;
    this.#targets = targets;
    this.#onLeftOut = onLeftOut;
  }

  /** Something is refused. */
  changed(): void {
    if (this.#isReporting) return;
    this.#isReporting = true;
    void this.#print().catch(() => {}); // the session has ended
  }

  async #print(): Promise<void> {
    const session = this.#session;
    await settledTogether(this.#targets, session);
    this.#isReporting = false;
    const isWrong = this.#targets.some(({ refusal }) => refusal !== undefined && !isForbidden(refusal));
    if (isWrong || this.#targets.every(({ refusal }) => refusal !== undefined)) {
      const refusal = await refusalOf(this.#targets, session);
      session.end(refusal);
      return;
    }
    const fresh = this.#targets.flatMap((target) =>
      target.forbidden.filter((each) => !this.#isReported(target, each)).map((refused) => ({ target, refused })),
    );
    if (fresh.length === 0) return;
    for (const { target, refused } of fresh) for (const id of idsOf(target, refused)) this.#reported.add(id);
    for (const error of forbiddenTogether(fresh.map(({ refused }) => refused)))
      for (const line of describeError(error).trimEnd().split('\n')) session.notice(line);
    session.notice(`not in this stream, which goes on without: ${leftOutText(this.#targets)}`);
    this.#onLeftOut(fresh.map(({ target, refused: { namespaces } }) => ({ target, namespaces })));
  }

  #isReported(target: WatchTarget, refused: Refused): boolean {
    return idsOf(target, refused).every((id) => this.#reported.has(id));
  }
}

function idsOf({ type }: WatchTarget, { need, namespaces }: Refused): string[] {
  const names = need.names.length > 0 ? need.names : [''];
  return namespaces.flatMap((namespace) => names.map((name) => `${formatGvr(type.gvr)} ${namespace}/${name}`));
}
