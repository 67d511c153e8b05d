import { InformerError, messageOf } from '../../kit/error.ts';

/**
 * Why a stored state cannot be read or written: `locked` another process uses it · `damaged` it is broken or cut off ·
 * `newer` a later version of this program made it · `foreign` it is not this user's, or no file of this program ·
 * `full` there is no space, or the state is larger than it may be · `unusable` any other error.
 */
export type StateFaultKind = 'locked' | 'damaged' | 'newer' | 'foreign' | 'full' | 'unusable';

/** A fault of a file of stored states. Nothing was read that is wrong. */
export class StateFault extends InformerError {
  readonly kind: StateFaultKind;

  constructor(kind: StateFaultKind, file: string, what: string, cause?: unknown) {
    super('store', `${file}: ${what}`, { hint: HINTS[kind], cause });
    this.kind = kind;
  }
}

const HINTS: Readonly<Record<StateFaultKind, string>> = {
  locked: 'wait until the other process has ended',
  damaged: 'the file is set aside, and a new one begins',
  newer: 'use the version of kubectl-informer that made it, or remove the file',
  foreign: 'remove the file if it is not yours, or choose another folder with --cache-dir',
  full: 'make room on the disk, or choose another folder with --cache-dir',
  unusable: 'choose another folder with --cache-dir',
};

/** The faults behind result codes of SQLite. Source: sqlite.org/rescode.html. */
const KINDS: Readonly<Record<number, StateFaultKind>> = {
  5: 'locked',
  6: 'locked',
  11: 'damaged',
  26: 'damaged',
  13: 'full',
};
const TEXTS: Readonly<Record<StateFaultKind, string>> = {
  locked: 'another process uses it',
  damaged: 'it is damaged',
  newer: 'a newer version of kubectl-informer made it',
  foreign: 'it is no file of kubectl-informer',
  full: 'there is no room for more',
  unusable: 'it cannot be used',
};

/** The fault behind an error of the database or of the file system. */
export function stateFault(error: unknown, file: string): StateFault {
  if (error instanceof StateFault) return error;
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  const byResult = typeof errcode === 'number' ? KINDS[errcode & 0xff] : undefined;
  const kind = byResult ?? (code === 'ENOSPC' || code === 'EDQUOT' ? 'full' : 'unusable');
  return new StateFault(kind, file, `${TEXTS[kind]} (${messageOf(error)})`, error);
}
