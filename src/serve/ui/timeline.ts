import type { Continuity, ContinuityEvent } from '../../informer/watch/continuity-ledger.ts';
import { humanDuration } from '../../kit/duration.ts';
import { messageOf } from '../../kit/error.ts';
import { neutralised } from '../../kit/escape.ts';
import type { UiLane, UiMark, UiSpan } from './wire.ts';

/** Spans and marks that a lane keeps; older ones are dropped. */
const MOST_PARTS = 300;

/** A watch that is replaced within this time was not away, ms: servers end each watch after some minutes. */
const SHORTEST_OUTAGE_MS = 1000;

/** The begin of a lane: the state of the connection, and the stretches before. */
type PastContinuity = Pick<Continuity, 'connection'> & Partial<Pick<Continuity, 'stretches' | 'gaps'>>;

type Growing = { -readonly [K in keyof UiSpan]: UiSpan[K] };

/**
 * The time line of one source, from its continuity events: when it was connected, when it was not, between which
 * moments changes may have been missed, and what was listed again. It keeps the latest 300 spans and marks.
 */
export class TimelineLane {
  readonly #type: string;
  readonly #scope: string | undefined;
  readonly #spans: Growing[] = [];
  readonly #marks: UiMark[] = [];
  #gap: Growing | undefined;
  /** Counts the changes of the lane. */
  version = 0;

  /** Begins with what the ledger of the source has already, up to the state that it has now. */
  constructor(type: string, scope: string | undefined, past: PastContinuity) {
    this.#type = type;
    this.#scope = scope;
    const { connection } = past;
    this.#recall(past);
    const { state, since } = connection;
    this.#enter(
      state === 'disconnected' ? 'outage' : state,
      since,
      state === 'connected' ? undefined : whyText(connection),
    );
  }

  #recall({ stretches = [], gaps = [] }: PastContinuity): void {
    for (const [i, { by, at, until, ended, events, to }] of stretches.entries()) {
      this.#enter('connected', at);
      if (by === 'initial') this.#mark(at, 'synced', syncedText(events, to));
      if (by === 'relist') this.#mark(at, 'relisted', `listed again: ${objects(events)} at ${to}`);
      if (until === undefined || by === 'initial' || by === 'relist') continue;
      const isBreak = (stretches[i + 1]?.at ?? Number.POSITIVE_INFINITY) - until > SHORTEST_OUTAGE_MS;
      if (isBreak && i + 1 < stretches.length) this.#enter('outage', until, ended);
    }
    for (const { at, why, from } of gaps) {
      const closed = stretches.find((each) => each.by === 'relist' && each.at >= at);
      this.#openGap(at, why);
      this.#mark(at, 'gap', gapText(from, why));
      if (closed) this.#closeGap(closed.at);
    }
  }

  /** The lane as it is sent. */
  get lane(): UiLane {
    const { spans, marks } = { spans: this.#spans.map((span) => ({ ...span })), marks: [...this.#marks] };
    return { type: this.#type, ...(this.#scope ? { scope: this.#scope } : {}), spans, marks };
  }

  add(event: ContinuityEvent): void {
    this.version++;
    switch (event.kind) {
      case 'synced':
        this.#enter('connected', event.at);
        this.#mark(event.at, 'synced', syncedText(event.objects, event.resourceVersion));
        break;
      case 'restored':
        this.#mark(
          event.at,
          'synced',
          `began with ${objects(event.objects)} of an earlier run at ${event.resourceVersion}`,
        );
        break;
      case 'verified':
        this.#mark(event.at, 'synced', 'compared with the server: nothing differs');
        break;
      case 'disconnected':
        this.#enter('outage', event.disconnectedAt, whyText(event));
        this.#mark(event.disconnectedAt, 'outage', `connection lost: ${whyText(event)}`);
        break;
      case 'connected':
        this.#enter('connected', event.reconnectedAt);
        this.#mark(
          event.reconnectedAt,
          'connected',
          `connected again after ${humanDuration(event.downMs)}, ${event.by === 'resume' ? `the watch continues at ${event.since}` : 'with a new list'}`,
        );
        break;
      case 'resumed':
        this.#mark(
          event.reconnectedAt,
          'resumed',
          `watch resumed at ${event.since} (${event.why})${event.proven ? '; nothing was missed' : ''}`,
        );
        break;
      case 'gap':
        this.#openGap(event.at, event.why);
        this.#mark(event.at, 'gap', gapText(event.from, event.why));
        break;
      case 'relisted':
        this.#closeGap(event.at);
        this.#mark(
          event.at,
          'relisted',
          `listed again: ${objects(event.objects)} at ${event.resourceVersion} (${event.why}); changes since ${event.from} show as their outcome`,
        );
        break;
      case 'waiting':
        this.#mark(event.at, 'waiting', `the server asks to wait; next attempt in ${humanDuration(event.waitMs)}`);
        break;
      case 'fault':
        this.#mark(event.at, 'fault', `${event.fault}: ${neutralised(messageOf(event.error))}`);
        break;
    }
  }

  #enter(state: UiSpan['state'], at: number, why?: string): void {
    const open = this.#spans.findLast((span) => span.to === undefined && span.state !== 'gap');
    if (open?.state === state) return;
    if (open) open.to = Math.max(open.from, at);
    this.#push({ state, from: at, ...(why ? { why } : {}) });
  }

  /** Changes may be missing from the end of the last connection on. */
  #openGap(at: number, why: string): void {
    if (this.#gap) return;
    const last = this.#spans.findLast((span) => span.state !== 'gap' && span.from <= at);
    this.#gap = { state: 'gap', from: last?.state === 'outage' ? last.from : at, why };
    this.#push(this.#gap);
  }

  #closeGap(at: number): void {
    if (this.#gap) this.#gap.to = at;
    this.#gap = undefined;
  }

  #push(span: Growing): void {
    this.#spans.push(span);
    if (this.#spans.length > MOST_PARTS) this.#spans.shift();
  }

  #mark(at: number, kind: UiMark['kind'], text: string): void {
    this.#marks.push({ at, kind, text });
    if (this.#marks.length > MOST_PARTS) this.#marks.shift();
  }
}

const syncedText = (count: number, version: string) => `synced ${objects(count)} at ${version}`;

const gapText = (from: string, why: string) => `changes after ${from} may be missing (${why})`;

const objects = (count: number) => `${count} object${count === 1 ? '' : 's'}`;

/** The reason with the error's own text, if there is one. */
export function whyText({ why, error }: { readonly why?: string | undefined; readonly error?: unknown }): string {
  const text = error === undefined ? '' : neutralised(messageOf(error));
  return [why === 'other' ? '' : why, text].filter(Boolean).join(': ');
}
