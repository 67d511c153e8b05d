/** The state of an object: healthy, not ready yet, failed, being deleted, finished. */
export type State = 'good' | 'waiting' | 'bad' | 'ending' | 'done';

/** Finds the state in the text of a cell; undefined if there is none. */
export type StateOf = (cell: string) => State | undefined;

/**
 * The function that finds the state in the cells of a column; undefined for columns without states. It knows the words
 * of kubectl's columns and of most custom types. An unknown word has no state.
 */
export function statesOf(heading: string): StateOf | undefined {
  return READERS.get(heading);
}

const WORDS: ReadonlyMap<string, State> = new Map(
  Object.entries({
    good: 'Running Ready Active Bound Available Healthy Established Synced Succeeding Approved,Issued Online Up',
    waiting:
      'Pending ContainerCreating PodInitializing NotReady Unknown Waiting Progressing Suspended Updating Scaling Reconciling OutOfSync Degraded SchedulingGated Queued Approved Warning Released',
    bad: 'Error Failed Failure CrashLoopBackOff ImagePullBackOff ErrImagePull OOMKilled Evicted Lost NodeLost InvalidImageName ContainerCannotRun ContainerStatusUnknown DeadlineExceeded Unhealthy Denied Dead Preempting UnexpectedAdmissionError NodeAffinity NodeShutdown Shutdown',
    ending: 'Terminating Deleting',
    done: 'Completed Complete Succeeded Finished Done',
  }).flatMap(([state, words]) => words.split(' ').map((word) => [word, state as State] as const)),
);

const BAD = /(Error|BackOff|Failed|Failure|Invalid)$|^Err|^(ExitCode|Signal):/;

/** The state of `Init:Error`, `Init:0/2`, `Ready,SchedulingDisabled`, and of single words. */
function wordState(cell: string): State | undefined {
  const known = WORDS.get(cell);
  if (known) return known;
  if (cell.startsWith('Init:')) return wordState(cell.slice('Init:'.length)) ?? 'waiting';
  if (cell.startsWith('NotReady')) return 'bad';
  if (cell.endsWith(',SchedulingDisabled')) return 'waiting';
  return BAD.test(cell) ? 'bad' : undefined;
}

/** A node that is not ready has failed. Other objects with `NotReady` may be starting. */
const nodeOrOther = (cell: string) => (cell === 'NotReady' ? 'bad' : wordState(cell));

/** `1/2` and `False` are not ready yet. */
function readyState(cell: string): State | undefined {
  const [, have, want] = /^(\d+)\/(\d+)$/.exec(cell) ?? [];
  if (have !== undefined) return Number(have) < Number(want) ? 'waiting' : undefined;
  if (cell === 'True') return 'good';
  return cell === 'False' || cell === 'Unknown' ? 'waiting' : undefined;
}

const warningState = (cell: string) => (cell === 'Warning' ? 'waiting' : undefined);

const READERS: ReadonlyMap<string, StateOf> = new Map<string, StateOf>([
  ['STATUS', nodeOrOther],
  ['PHASE', wordState],
  ['STATE', wordState],
  ['HEALTH', wordState],
  ['SYNC STATUS', wordState],
  ['CONDITION', wordState],
  ['READY', readyState],
  ['AVAILABLE', (cell) => (cell.includes('/') || cell === 'True' || cell === 'False' ? readyState(cell) : undefined)],
  ['COMPLETIONS', readyState],
  ['TYPE', warningState],
]);
