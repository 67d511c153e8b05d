import type { ContinuityEvent } from '../../informer/watch/continuity-ledger.ts';
import type { Clock, Timer } from '../../kit/clock.ts';
import { formatGroupResource } from '../../model/gvr.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { isLaterVersion } from '../../model/resource-version.ts';

/** How long a notice waits for the same notice of other types. */
const GATHER_MS = 300;
/** The number of types that are named; more are counted. */
const MOST_NAMED = 3;

type Loss = Extract<ContinuityEvent, { readonly kind: 'gap' | 'relisted' }>;

interface Gathered {
  readonly losses: { readonly event: Loss; readonly type: ResourceType; readonly text: string }[];
  readonly timer: Timer;
}

/**
 * Gathers the notices of gaps, and those of relists, because after an outage every type has one: two lines then say
 * what may be missing and what came back. Disposing prints what was gathered.
 */
export class LossNotices implements Disposable {
  readonly #clock: Clock;
  readonly #notice: (text: string) => void;
  readonly #gathered = new Map<Loss['kind'], Gathered>();

  constructor(clock: Clock, notice: (text: string) => void) {
    this.#clock = clock;
    this.#notice = notice;
  }

  /** `text` is the notice of this one alone. */
  add(event: Loss, type: ResourceType, text: string): void {
    const { kind } = event;
    const known = this.#gathered.get(kind);
    if (known) known.losses.push({ event, type, text });
    else {
      const losses = [{ event, type, text }];
      const timer = this.#clock.after(GATHER_MS, () => this.#print(kind, losses));
      this.#gathered.set(kind, { losses, timer });
    }
  }

  [Symbol.dispose](): void {
    for (const [kind, { losses, timer }] of [...this.#gathered]) {
      timer.cancel();
      this.#print(kind, losses);
    }
  }

  #print(kind: Loss['kind'], losses: Gathered['losses']): void {
    this.#gathered.delete(kind);
    const [first, ...others] = losses;
    this.#notice(first && others.length === 0 ? first.text : textOf(losses));
  }
}

function textOf(losses: Gathered['losses']): string {
  const names = namesOf(losses);
  const from = losses.map(({ event }) => event.from).reduce((a, b) => (isLaterVersion(a, b) ? b : a));
  const reasons = new Set(losses.map(({ event }) => event.why));
  const [reason] = reasons;
  const why = reasons.size === 1 && reason !== 'other' ? ` (${reason})` : '';
  const relisted = losses.flatMap(({ event }) => (event.kind === 'relisted' ? [event.objects] : []));
  if (relisted.length === 0) return `${names}: changes after ${from} may go unseen${why}; listing again`;
  const objects = relisted.reduce((sum, count) => sum + count, 0);
  return `${names}: relisted ${objects} object${objects === 1 ? '' : 's'}${why}; what happened since ${from} shows as its outcome`;
}

/** `pods, services`, `7 types`, or `7 types and namespaces`. */
function namesOf(losses: Gathered['losses']): string {
  const names = new Set(
    losses.map(({ event: { scope }, type: { gvr } }) => formatGroupResource(gvr) + (scope ? ` in ${scope}` : '')),
  );
  if (names.size <= MOST_NAMED) return [...names].join(', ');
  const types = new Set(losses.map(({ type }) => formatGroupResource(type.gvr)));
  return `${names.size} types${types.size === names.size ? '' : ' and namespaces'}`;
}
