import type { ReconcileCause } from '../controller/history/causes.ts';
import type { CachedObject } from '../controller/resource-event.ts';
import type { Logger } from '../kit/logger.ts';
import type { ObjectKey } from '../model/key.ts';

/**
 * The version of {@link HookRequest}. It increases when a field changes its meaning or is removed, not for a new field.
 */
export const HOOK_REQUEST_VERSION = 1;

/** The request to a hook: the JSON that an executable reads, and the data in the context of a module. */
export interface HookRequest {
  readonly version: typeof HOOK_REQUEST_VERSION;
  /** `startup` in the one request before all keys, which is about no object. Otherwise absent. */
  readonly event?: 'startup';
  /** '' at startup. */
  readonly key: ObjectKey;
  /** The type of the object: `apps/v1/deployments`. */
  readonly gvr: string;
  /** The present state; null if the object does not exist. */
  readonly object: CachedObject | null;
  /**
   * The state before the first change since the last successful run; the last known state of an object that is gone.
   */
  readonly oldObject?: CachedObject;
  /** The paths that differ between `oldObject` and `object`. */
  readonly changed: readonly string[];
  readonly causes: readonly ReconcileCause[];
  /** 1 for the first try, one more after each failure. */
  readonly attempt: number;
  /** The objects of other types that the hook declared, by their declared names. */
  readonly snapshots: Readonly<Record<string, readonly CachedObject[]>>;
  /** For each snapshot with more objects than are passed: how many there are. */
  readonly snapshotsCut?: Readonly<Record<string, number>>;
}

/** The name of a run in output: its key, or `onStartup`. */
export const runNameOf = ({ key, event }: Pick<HookRequest, 'key' | 'event'>): string =>
  event === 'startup' ? 'onStartup' : key;

/** The stream on which a hook printed a line. */
export type HookStream = 'stdout' | 'stderr';

export interface HookRun {
  /** Aborts when the run reaches its timeout, and when the program ends. */
  readonly signal: AbortSignal;
  /** A logger whose lines carry the key. */
  readonly logger: Logger;
  /** Called with each line that an executable prints beside its reply, as it comes and also if the run fails. */
  readonly onOutput?: ((line: string, stream: HookStream) => void) | undefined;
  /** Called with what a module's function threw, before {@link Hook.run} rejects with it. */
  readonly onThrown?: ((thrown: unknown) => void) | undefined;
}

/** A user's code for reconciling: an executable, a command line or a module. */
export interface Hook {
  /** The name in messages: that of the file or of the command. */
  readonly name: string;
  /**
   * Runs the hook once. Resolves with the unchecked reply, or undefined if there is none. Rejects with a StopError for
   * wrong configuration, with a TerminalError for a failure that no retry can repair, and with any other error for a
   * retry.
   */
  run(request: HookRequest, run: HookRun): Promise<unknown>;
  /** Kills all processes of the hook at once. For a program that cannot wait. */
  kill?(): void;
  /** Ends the processes that are kept between runs. Called after the last run. */
  close?(): Promise<void>;
}
