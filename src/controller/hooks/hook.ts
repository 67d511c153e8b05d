import type { Logger } from '../../kit/logger.ts';
import type { ObjectKey } from '../../model/key.ts';
import type { ReconcileCause } from '../causes.ts';
import type { CachedObject } from '../resource-event.ts';

/** The version of {@link HookRequest}. Counted up when a field changes its meaning or goes; new fields do not count. */
export const HOOK_REQUEST_VERSION = 1;

/** What a hook is asked: the JSON an executable reads, and the data part of a module's context. */
export interface HookRequest {
  readonly version: typeof HOOK_REQUEST_VERSION;
  readonly key: ObjectKey;
  /** `apps/v1/deployments` */
  readonly gvr: string;
  /** The present state; null when the object is gone. */
  readonly object: CachedObject | null;
  /** The state before the first change since the last run that went well; of an object that is gone, the last known state. */
  readonly oldObject?: CachedObject;
  /** Paths that differ between the two. */
  readonly changed: readonly string[];
  readonly causes: readonly ReconcileCause[];
  /** 1 for the first try. */
  readonly attempt: number;
  /** Objects of other types the hook asked for, by the name it gave them. */
  readonly snapshots: Readonly<Record<string, readonly CachedObject[]>>;
}

export interface HookRun {
  /** Aborts when the run's time is over or the program ends. */
  readonly signal: AbortSignal;
  /** Carries the key. */
  readonly logger: Logger;
  /** Called with each line that an executable prints on stdout beside its reply, also of a run that fails. */
  readonly onOutput?: ((line: string) => void) | undefined;
}

/** A user's reconcile code in whatever form. */
export interface Hook {
  /** For messages: the file's name or the command. */
  readonly name: string;
  /**
   * Runs once. Resolves with the reply as the hook gave it, unchecked; undefined when it gave none.
   * Rejects with a StopError for bad configuration, a TerminalError for what trying again will not mend, anything else to try again.
   */
  run(request: HookRequest, run: HookRun): Promise<unknown>;
  /** Ends at once what still runs. For a program that cannot wait. */
  kill?(): void;
}
