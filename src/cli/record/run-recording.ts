import { isStop, isTerminal, type Reconciler } from '../../controller/reconciler.ts';
import type { ActionOutcome } from '../../hooks/action-runner.ts';
import { formatTarget } from '../../hooks/actions/action-target.ts';
import { messageOf } from '../../kit/error.ts';
import { formatGvr } from '../../model/gvr.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { RecordedHookRun } from '../../record/hook-runs.ts';
import type { Recorder } from '../../record/recorder.ts';
import type { RecordFlags } from '../args/record-flags.ts';
import type { WatchTarget } from '../session/informers.ts';
import type { CommandSession } from '../session/session.ts';
import { recorderOf } from './recorder-of.ts';

/** The hook whose runs are recorded. */
export interface RecordedHook {
  readonly hook: { readonly name: string };
  readonly maxRetries: number | undefined;
  /** The hook sees values of Secrets: its words are not recorded. */
  readonly showSecrets: boolean;
}

type Selectors = NonNullable<Parameters<Recorder['follow']>[1]>;

interface RecordedCaches {
  readonly primary: WatchTarget;
  readonly snapshots: readonly { readonly target: WatchTarget; readonly selector: string | undefined }[];
  readonly all: readonly WatchTarget[];
}

/**
 * A recording with the runs of a hook beside the changes of the objects. Disposing writes the rest: after the last run.
 *
 * Promises: a run is entered when it has ended, with what it asked for but without bodies. A run that did nothing
 * because a filter refused it is none.
 */
export class RunRecording implements AsyncDisposable {
  readonly #recorder: Recorder;
  readonly #ended = new AbortController();
  /** The actions of runs under way. A key has one run at a time. */
  readonly #actions = new Map<ObjectKey, string[]>();
  #running: Promise<void> = Promise.resolve();

  private constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  /** Undefined without `--record`. Throws `argument` and `store`. */
  static open(flags: RecordFlags, session: CommandSession): RunRecording | undefined {
    const recorder = recorderOf(flags, session, 'reconcile');
    return recorder && new RunRecording(recorder);
  }

  /** Records what these caches see. They must not have been run. */
  follow({ all, primary, snapshots }: RecordedCaches, selectors: Selectors): void {
    for (const target of all) {
      const own = target === primary ? selectors : snapshots.find((each) => each.target === target);
      this.#recorder.follow(target, own);
    }
    this.#running = this.#recorder.run(this.#ended.signal);
  }

  /** The reconciler, with its runs in the recording. */
  recorded(reconcile: Reconciler, { type }: WatchTarget, { hook, maxRetries, showSecrets }: RecordedHook): Reconciler {
    const enter = (run: Omit<RecordedHookRun, 'cluster' | 'resource' | 'hook' | 'ended' | 'actions'>) => {
      const actions = this.#actions.get(run.key) ?? [];
      this.#actions.delete(run.key);
      const of = { cluster: type.cluster ?? '', resource: formatGvr(type.gvr), hook: hook.name };
      this.#recorder.addRun({ ...run, ...of, ended: this.#recorder.now(), actions });
    };
    return async (request, context) => {
      const { key, attempt } = request;
      const run = { key, attempt, began: this.#recorder.now() };
      try {
        const result = await reconcile(request, context);
        if (result?.skipped === undefined)
          enter({ ...run, outcome: 'done', error: undefined, againMs: result?.requeueAfterMs });
        return result;
      } catch (error) {
        const isLast = isTerminal(error) || (maxRetries !== undefined && attempt > maxRetries);
        const outcome = isStop(error) ? 'stopped' : isLast ? 'gave up' : 'failed';
        enter({ ...run, outcome, error: showSecrets ? UNTOLD : messageOf(error), againMs: undefined });
        throw error;
      }
    };
  }

  /** Takes the actions of a run, done or only shown. */
  report(outcomes: readonly ActionOutcome[]): void {
    for (const { subject, verb, target, mode, after } of outcomes) {
      const actions = this.#actions.get(subject) ?? [];
      this.#actions.set(subject, actions);
      const how = mode === 'write' ? '' : mode === 'dry-run' ? ' (dry run)' : ' (shown only)';
      const version = mode === 'write' ? after?.metadata.resourceVersion : undefined;
      actions.push(`${verb} ${formatTarget(target)}${version === undefined ? how : ` → ${version}`}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    await this.#running;
  }
}

const UNTOLD = 'the hook sees values of Secrets: its words are not recorded';
