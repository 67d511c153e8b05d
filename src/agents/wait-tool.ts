import type { WatchTarget } from '../cli/session/informers.ts';
import { decidedBy, StreamEnd } from '../cli/terminal/stream-ending.ts';
import { waitsOf } from '../cli/watch/wait-flags.ts';
import { abortable, scope } from '../kit/abort.ts';
import type { Clock, Timer } from '../kit/clock.ts';
import { parseDuration } from '../kit/duration.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import { isSecretResource } from '../model/gvr.ts';
import type { Found } from '../query/answer/found.ts';
import { isPlacedIn, keysIn, type RequestedPart, selectorOf, whyNotCached } from '../serve/hold/cached-view.ts';
import { maskedCondition } from '../serve/hold/masked-view.ts';
import type { CompiledCondition } from '../stream/conditions/condition.ts';
import type { WaitRules } from '../stream/conditions/wait-rules.ts';
import { Waiter, type WaitOutcome } from '../stream/conditions/waiter.ts';
import { Enveloper } from '../stream/envelope.ts';
import { type StreamTarget, streamEvents } from '../stream/event-stream.ts';
import { createFilterGate } from '../stream/filter-gate.ts';
import { outagesOf } from '../stream/outage.ts';
import type { AgentCaches } from './agent-caches.ts';
import { quotedText } from './budget.ts';
import type { ToolContext } from './tool.ts';

const DEFAULT_MS = 45_000;
const LONGEST_MS = 10 * 60_000;
/** A long wait says how far it is, ms. */
const SAY_EVERY_MS = 3000;

/** The objects and conditions that an agent waits for. */
export interface AskedWait {
  readonly type: string;
  readonly part: Omit<RequestedPart, 'names'>;
  readonly for: readonly string[];
  readonly until: readonly string[];
  readonly failIf: readonly string[];
  readonly stays: string | undefined;
  readonly timeout: string | undefined;
  /** Ends when changes may have been missed. */
  readonly strict: boolean;
}

/** How a wait ended. */
export interface EndedWait {
  readonly how: 'met' | 'failed' | 'time ran out' | 'continuity lost';
  readonly why: string;
  readonly ms: number;
  /** The object that decided it. */
  readonly object: Found | undefined;
  /** How often changes may have been missed meanwhile. */
  readonly losses: number;
  readonly targets: readonly WatchTarget[];
}

/** Waits on the caches for what `watch --for`, `--until` and `--fail-if` wait for. */
export async function waitFor(
  caches: AgentCaches,
  asked: AskedWait,
  { signal, progress }: Pick<ToolContext, 'signal' | 'progress'>,
): Promise<EndedWait> {
  const { clock } = caches.session;
  const { rules } = await waitsOf({
    for: [...asked.for],
    until: [...asked.until],
    'until-any': undefined,
    'fail-if': [...asked.failIf],
    stays: asked.stays === undefined ? undefined : parseDuration(asked.stays),
  });
  if (!rules || (asked.for.length === 0 && asked.until.length === 0))
    throw new InformerError('argument', 'there is nothing to wait for', {
      hint: `for ["condition=Ready"] or ["rollout"], or until ['object.status.phase == "Running"']`,
    });
  const limitMs = Math.min(LONGEST_MS, asked.timeout === undefined ? DEFAULT_MS : parseDuration(asked.timeout));
  const startedAt = clock.monotonic();
  using ending = scope(AbortSignal.any([signal, caches.session.signal]));
  using _late = clock.after(limitMs, () => ending.abort(new StreamEnd('timeout')));
  const read = await readInTime(caches.targetsOf(asked.type), ending.signal);
  if (!read) {
    const why = `${asked.type} is still being read; ask again`;
    return { how: 'time ran out', why, ms: clock.monotonic() - startedAt, object: undefined, losses: 0, targets: [] };
  }
  const { selections, targets } = read;
  const streamed = targets.map((target, i) => limitedTo(target, { ...asked.part, names: selections[i]?.names ?? [] }));
  const waiter = new Waiter(maskedRules(rules, targets, caches), { clock, targets: streamed });
  using _waiter = waiter;
  let losses = 0;
  const lost = () => {
    losses++;
    if (asked.strict) ending.abort(new StreamEnd('continuity'));
  };
  const isConnected = () => waiter.setConnected(outagesOf(targets, clock.now()).length === 0);
  const watching = targets.map(({ informer }) =>
    informer.onContinuity((event) => {
      isConnected();
      if (event.kind === 'gap' || event.kind === 'relisted') lost();
    }),
  );
  using _said = progress && saying(progress, { clock, limitMs, waiter });
  const stream = {
    targets: streamed,
    enveloper: new Enveloper({ clock, redactor: caches.redactor }),
    gate: createFilterGate({ on: new Set(), clock }), // nothing is shown
    waiter,
    print() {},
  };
  try {
    const outcome = await streamEvents(stream, ending.signal);
    const ms = clock.monotonic() - startedAt;
    return { ...endOf(outcome, ending.signal.reason, waiter, targets), ms, losses, targets };
  } finally {
    for (const each of watching) each[Symbol.dispose]();
  }
}

/** The result of `reading`; undefined if the time of the wait ends before. */
async function readInTime<T>(reading: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await abortable(reading, signal);
  } catch (error) {
    if (error instanceof StreamEnd && error.kind === 'timeout') return undefined;
    throw error;
  }
}

/** Says again and again what a wait still waits for, until disposed. */
function saying(
  progress: NonNullable<ToolContext['progress']>,
  { clock, limitMs, waiter }: { readonly clock: Clock; readonly limitMs: number; readonly waiter: Waiter },
): Disposable {
  const startedAt = clock.monotonic();
  let timer: Timer;
  const say = () => {
    const what = waiter.timeoutText().replace('timed out waiting for the condition', 'waiting');
    const ms = clock.monotonic() - startedAt;
    progress({ done: ms / 1000, of: limitMs / 1000, text: quotedText(what, 200) });
    timer = clock.after(SAY_EVERY_MS, say);
  };
  timer = clock.after(SAY_EVERY_MS, say);
  return { [Symbol.dispose]: () => timer.cancel() };
}

function endOf(
  outcome: WaitOutcome | undefined,
  reason: unknown,
  waiter: Waiter,
  targets: readonly WatchTarget[],
): Pick<EndedWait, 'how' | 'why' | 'object'> {
  if (outcome) {
    const of = targets.find(({ type }) => type === outcome.by?.target.type);
    const object = of && outcome.by?.object ? { object: outcome.by.object, type: of.type } : undefined;
    if (outcome.kind === 'error') return { how: 'failed', why: messageOf(outcome.error), object };
    if (outcome.kind === 'fail-if') return { how: 'failed', why: `failIf is met by ${decidedBy(outcome)}`, object };
    return { how: 'met', why: outcome.kind, object };
  }
  if (reason instanceof StreamEnd && reason.kind === 'continuity')
    return { how: 'continuity lost', why: 'changes may have been missed while it waited', object: undefined };
  if (reason instanceof StreamEnd && reason.kind === 'timeout')
    return { how: 'time ran out', why: waiter.timeoutText(), object: undefined };
  throw reason;
}

/** A cache as a stream of the objects that are waited for. */
function limitedTo({ type, informer, namespaces: cached }: WatchTarget, part: RequestedPart): StreamTarget {
  const reason = whyNotCached({ type, namespaces: cached }, part);
  if (reason !== undefined) throw new InformerError('argument', `not answered: ${reason}`);
  const selected = part.fieldSelector === undefined ? undefined : selectorOf(type, part);
  const namespaces = type.namespaced && !part.namespaces.includes('') ? part.namespaces : undefined;
  const names = part.names.length === 0 ? undefined : new Set(part.names);
  const selection = { selects: isPlacedIn(type, part), keys: keysIn(type, part) };
  const own: Pick<WatchTarget['informer'], 'addHandler' | 'onContinuity' | 'hasSynced' | 'isStopped' | 'continuity'> = {
    addHandler: (handler, options) =>
      informer.addSelecting(handler, { ...options, ...(selected && { filter: selected }) }, selection),
    onContinuity: (observer) => informer.onContinuity(observer),
    get hasSynced() {
      return informer.hasSynced;
    },
    get isStopped() {
      return informer.isStopped;
    },
    get continuity() {
      return informer.continuity;
    },
  };
  return { type, informer: own as unknown as WatchTarget['informer'], names, namespaces };
}

/** The rules over marks in place of values of Secrets. Throws `argument` for a comparison with such a value. */
function maskedRules(rules: WaitRules, targets: readonly WatchTarget[], { redactor }: AgentCaches): WaitRules {
  const types = targets.map(({ type }) => type);
  const ofValue = rules.for?.find(({ kind }) => kind !== 'create' && kind !== 'delete');
  if (ofValue && types.some(({ gvr }) => isSecretResource(gvr)))
    throw new InformerError('argument', 'for a Secret only create and delete can be waited for', {
      hint: 'until sees marks in place of its values',
    });
  const masked = (conditions: readonly CompiledCondition[] | undefined) =>
    conditions?.map((condition) => maskedCondition(condition, types, redactor));
  return { ...rules, until: masked(rules.until), untilAny: masked(rules.untilAny), failIf: masked(rules.failIf) };
}
