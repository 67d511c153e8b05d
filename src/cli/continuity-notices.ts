import type { ContinuityEvent, Refusal } from '../informer/ledger.ts';
import type { Ending } from '../informer/watch-machine.ts';
import { humanDuration } from '../kit/duration.ts';
import { messageOf } from '../kit/error.ts';
import { isConnectionError } from '../model/connection-error.ts';
import { formatGroupResource } from '../model/gvr.ts';
import type { ResourceType } from '../model/resource-type.ts';
import type { Session } from './session.ts';

/** Endings that belong to a healthy stream: servers end every watch after some minutes. */
const ORDINARY: ReadonlySet<Ending> = new Set<Ending>(['closed']);

/** Nothing is tried again here. */
const REFUSALS: Readonly<Record<Refusal, string>> = {
  dropped: 'the cache goes on without that change',
  unindexed: 'it is in the cache, but not found by that index',
};

/**
 * What a person is told on stderr of how a command's informers go on. While a server is away every one of them meets the same fault, again and
 * again: it is told once, until all of them are well again. Gaps, relists and resumed watches are each told.
 */
export class ContinuityNotices {
  readonly #told = new Set<string>();
  readonly #ill = new Set<string>();

  /** Undefined for what goes without saying, or was said. */
  textOf(event: ContinuityEvent, type: ResourceType): string | undefined {
    const name = formatGroupResource(type.gvr) + (event.scope ? ` in ${event.scope}` : '');
    if (event.kind === 'fault' && event.fault === 'store') return `${name}: ${messageOf(event.error)}; ${REFUSALS[event.next]}`;
    if (event.kind === 'fault') return this.#isNews(event.error, name) ? faultText(event.error, name) : undefined;
    if (event.kind === 'resumed' || event.kind === 'relisted' || event.kind === 'synced') this.#recovered(name);
    return noticeOf(event, name);
  }

  #isNews(error: unknown, name: string): boolean {
    this.#ill.add(name);
    const before = this.#told.size;
    return this.#told.add(messageOf(error)).size > before;
  }

  #recovered(name: string): void {
    this.#ill.delete(name);
    if (this.#ill.size === 0) this.#told.clear();
  }
}

/** Tells a command's notices on stderr until it ends. */
export function noticeTeller(session: Pick<Session, 'notice' | 'signal'>): (event: ContinuityEvent, type: ResourceType) => void {
  const notices = new ContinuityNotices();
  return (event, type) => {
    const notice = notices.textOf(event, type);
    if (notice !== undefined && !session.signal.aborted) session.notice(notice);
  };
}

/** A connection is the same for every type. */
function faultText(error: unknown, name: string): string {
  return `${isConnectionError(error) ? '' : `${name}: `}${messageOf(error)}; trying again`;
}

function noticeOf(event: Exclude<ContinuityEvent, { kind: 'fault' }>, name: string): string | undefined {
  switch (event.kind) {
    case 'resumed': {
      if (ORDINARY.has(event.why) && event.downMs < 1000) return undefined;
      const claim = event.proven ? '; nothing was missed' : '';
      return `${name}: watch resumed at ${event.since} after ${humanDuration(event.downMs)} (${event.why})${claim}`;
    }
    case 'gap':
      return `${name}: changes after ${event.from} may go unseen${because(event.why)}; listing anew`;
    case 'relisted':
      return `${name}: relisted ${event.objects} object${event.objects === 1 ? '' : 's'} at ${event.resourceVersion}${because(event.why)}; what happened since ${event.from} shows as its outcome`;
    default:
      return undefined;
  }
}

/** `other` tells a person nothing: the fault itself was told. */
const because = (why: Ending) => (why === 'other' ? '' : ` (${why})`);
