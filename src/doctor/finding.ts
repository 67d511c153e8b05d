import { errorTexts } from '../cli/terminal/error-text.ts';
import { isInformerError } from '../kit/error.ts';

/**
 * `warning`: something to know or to repair, without which commands still work. `problem`: commands fail by it.
 * `skipped`: it could not be examined, and `found` says why.
 */
export type FindingStatus = 'ok' | 'warning' | 'problem' | 'skipped';

export interface CheckResult {
  readonly status: FindingStatus;
  /** One sentence: what was found, or why nothing was examined. It never contains a credential. */
  readonly found: string;
  /** A command or a step to copy. */
  readonly fix?: string | undefined;
}

export interface HealthFinding extends CheckResult {
  /** `GROUP.NAME`, which stays the same in all versions. */
  readonly id: string;
  /** The type, namespace or file, where a check runs for several of them. */
  readonly of?: string | undefined;
  /** How long it took, ms. */
  readonly ms: number;
}

export const ok = (found: string): CheckResult => ({ status: 'ok', found });
export const warning = (found: string, fix?: string): CheckResult => ({ status: 'warning', found, fix });
export const problem = (found: string, fix?: string): CheckResult => ({ status: 'problem', found, fix });
export const skipped = (found: string): CheckResult => ({ status: 'skipped', found });

/** An error as a finding: its message, and its hint as the fix, or `fix` if it has none. */
export function failed(error: unknown, fix?: string): CheckResult {
  const { message, hint } = errorTexts(error);
  return problem(message || 'an error without a message', hint ?? fix);
}

/** As {@link failed}, for what commands can do without. Throws what is no failure but an end. */
export function failedMildly(error: unknown, fix?: string): CheckResult {
  if (!isInformerError(error)) throw error;
  return { ...failed(error, fix), status: 'warning' };
}
