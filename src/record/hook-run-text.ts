import type { RecordedHookRun } from './hook-runs.ts';

const MOST_ACTIONS = 3;

/** The outcome of a run of a hook: `failed after 12ms, try 2: boom; asked for: patch apps/v1/deployments shop/web → 41`. */
export function hookRunText({ outcome, began, ended, attempt, error, againMs, actions }: RecordedHookRun): string {
  const again = againMs === undefined ? '' : `, again in ${againMs / 1000}s`;
  const tried = attempt > 1 ? `, try ${attempt}` : '';
  const more = actions.length > MOST_ACTIONS ? `; ${actions.length - MOST_ACTIONS} more` : '';
  const asked = actions.length === 0 ? '' : `: ${actions.slice(0, MOST_ACTIONS).join('; ')}${more}`;
  const why = error === undefined ? '' : `: ${error.split('\n')[0]}`;
  return `${outcome} after ${ended - began}ms${tried}${again}${why}${asked === '' ? '' : `${why === '' ? '' : '; asked for'}${asked}`}`;
}
