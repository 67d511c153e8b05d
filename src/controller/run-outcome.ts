import { causesOf, InformerError, messageOf } from '../kit/error.ts';
import { checkOptions, type KnownOptionsOf } from '../kit/known-options.ts';
import type { ObjectKey } from '../model/key.ts';
import { type RunEntry, type RunOutcome, shortened } from './history/trail.ts';
import type { Result } from './reconciler.ts';

/** How a run ended: with a result, with a failure, or with one that ends the controller. */
export type Settled =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly error: unknown; readonly isTerminal: boolean; readonly isTimeout: boolean }
  | { readonly kind: 'fatal'; readonly error: unknown };

/**
 * The result, if it is an object. Throws `argument` for a value of the wrong type (`{priority: 'high'}`), and for a key
 * that is similar to a known one (`{requeueAfter: '30s'}`) and would be ignored. Other keys are not checked.
 */
export function checkedResult(result: Result | undefined): Result {
  if (typeof result !== 'object' || result === null) return {};
  const meant = Object.entries(result).filter(
    ([key]) => Object.hasOwn(KNOWN_RESULT, key) || /requeue|priority|causes/i.test(key),
  );
  checkOptions('the result of a reconcile', Object.fromEntries(meant), KNOWN_RESULT);
  return result;
}

const KNOWN_RESULT = {
  requeueAfterMs: 'number',
  priority: 'number',
  keepCauses: 'boolean',
  skipped: true,
} satisfies KnownOptionsOf<Result>;

/** The outcome of a run in the history of its key. */
export function runOutcomeOf(settled: Settled): RunOutcome {
  if (settled.kind === 'fatal') return 'stop';
  if (settled.kind === 'failed') return settled.isTimeout ? 'timeout' : settled.isTerminal ? 'terminal' : 'error';
  return runsAgain(settled.result) ? 'requeue-after' : 'success';
}

/** Why a run did nothing, if it says so. */
export function skippedField({ skipped }: Result): Pick<RunEntry, 'skipped'> {
  return typeof skipped === 'string' ? { skipped: shortened(skipped) } : {};
}

/** The text of an error, and the exit code that it, or one of its causes, carries. */
export function errorFields(error: unknown): Pick<RunEntry, 'error' | 'exitCode'> {
  const codes = [...causesOf(error)].map((each) => (each as { exitCode?: unknown } | undefined)?.exitCode);
  const exitCode = codes.find((code) => typeof code === 'number');
  return { error: shortened(messageOf(error)), ...(exitCode === undefined ? {} : { exitCode }) };
}

/** The label of a run in the metrics. Source: controller-runtime internal/controller. */
export function outcomeOf(settled: Settled): 'success' | 'requeue_after' | 'error' {
  if (settled.kind !== 'done') return 'error';
  return runsAgain(settled.result) ? 'requeue_after' : 'success';
}

const runsAgain = ({ requeueAfterMs = 0 }: Result) => requeueAfterMs > 0;

/** The most keys of an error. */
const MOST_NAMED = 10;

/** The error of a shutdown that gave up runs which do not end. */
export function runsNotEnded(
  name: string,
  processing: readonly { readonly key: ObjectKey }[],
  cause: unknown,
): InformerError {
  const keys = processing.map(({ key }) => key);
  const named = keys.length > MOST_NAMED ? [...keys.slice(0, MOST_NAMED), `${keys.length - MOST_NAMED} more`] : keys;
  const runs = keys.length === 1 ? '1 run' : `${keys.length} runs`;
  return new InformerError('closed', `controller ${name} ended, and ${runs} did not: ${named.join(', ')}`, {
    cause: cause instanceof Error ? cause : undefined,
    hint: 'a reconcile must end when its signal aborts; pass the signal on to what it waits for',
  });
}
