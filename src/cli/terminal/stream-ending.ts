import { formatGroupResource } from '../../model/gvr.ts';
import type { Decider, WaitOutcome } from '../../stream/conditions/waiter.ts';
import { isReaderGone } from './exit-codes.ts';
import { Interrupted } from './signals.ts';

/**
 * Why a stream ended, as its signal's reason. An `Interrupted`, a lost reader (EPIPE) and any other error are reasons
 * too.
 */
export class StreamEnd extends Error {
  override readonly name = 'StreamEnd';
  readonly kind: 'done' | 'limit' | 'timeout' | 'continuity' | 'until' | 'until-any' | 'for' | 'fail-if' | 'recording';

  constructor(kind: StreamEnd['kind'], detail = '') {
    super(detail);
    this.kind = kind;
  }
}

/**
 * The object or objects that made the difference: `pods shop/web-1`,
 * `pods shop/web-1, jobs.batch shop/report and 3 more`.
 */
export function decidedBy({ deciders = [], decided = 0 }: WaitOutcome): string {
  const names = deciders
    .map(({ target, key }) => `${formatGroupResource(target.type.gvr)} ${key}${clusterOf(target)}`)
    .join(', ');
  const more = decided - deciders.length;
  return more > 0 ? `${names} and ${more} more` : names;
}

/** The notice of an object that was deleted while something waits for it. */
export const goneNotice = ({ target, key }: Decider) =>
  `${formatGroupResource(target.type.gvr)} ${key}${clusterOf(target)} was deleted; waiting for it to come back (--fail-if 'event == "DELETED"' ends the wait)`;

const clusterOf = ({ type: { cluster } }: NonNullable<WaitOutcome['deciders']>[number]['target']) =>
  cluster === undefined ? '' : ` in ${cluster}`;

/** How a stream ended, in words for the summary: `ended by SIGINT`. */
export function wordsOfEnd(reason: unknown): string {
  if (reason instanceof Interrupted) return `ended by ${reason.signal}`;
  if (isReaderGone(reason)) return 'ended by its reader';
  if (!(reason instanceof StreamEnd)) return 'ended by an error';
  const words = {
    done: 'complete',
    recording: 'the recording ended',
    limit: 'ended by --limit',
    timeout: 'ended by --timeout',
    continuity: 'ended by --strict, continuity lost',
    until: '--until is met',
    'until-any': '--until-any is met',
    for: '--for is met',
    'fail-if': 'ended by --fail-if',
  };
  return words[reason.kind] + (reason.message ? `: ${reason.message}` : '');
}

/** Whether a stream failed, and did not just end: the entry words such a reason as an error. */
export function isFailure(reason: unknown): boolean {
  return !(reason instanceof Interrupted || reason instanceof StreamEnd || isReaderGone(reason));
}
