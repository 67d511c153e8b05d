/** How an object does, as a cell tells it: well, on its way, ill, on its way out, finished. */
export type State = 'good' | 'waiting' | 'bad' | 'ending' | 'done';

/** Reads a state out of a cell; undefined when it tells none. */
export type StateOf = (cell: string) => State | undefined;

/**
 * What reads the cells of a column of this heading; undefined for columns that tell no state. Known are the words that kubectl's own columns and most
 * custom types use; a word that is not known has no state.
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

/** `Init:Error`, `Init:0/2`, `Ready,SchedulingDisabled` and single words. */
function wordState(cell: string): State | undefined {
  const known = WORDS.get(cell);
  if (known) return known;
  if (cell.startsWith('Init:')) return wordState(cell.slice('Init:'.length)) ?? 'waiting';
  if (cell.startsWith('NotReady')) return 'bad';
  if (cell.endsWith(',SchedulingDisabled')) return 'waiting';
  return BAD.test(cell) ? 'bad' : undefined;
}

/** A node that is not ready is ill; `NotReady` of other things may just be early. */
const nodeOrOther = (cell: string) => (cell === 'NotReady' ? 'bad' : wordState(cell));

/** `1/2` is not there yet, and so is `False`. */
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
