import { DATABASE_FAULTS, type DatabaseFaultKind, databaseFaultKind } from '../../kit/database-file.ts';
import { InformerError, messageOf } from '../../kit/error.ts';

/** Why a stored state cannot be read or written. */
export type StateFaultKind = DatabaseFaultKind;

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

/** The fault behind an error of the database or of the file system. */
export function stateFault(error: unknown, file: string): StateFault {
  if (error instanceof StateFault) return error;
  const kind = databaseFaultKind(error);
  return new StateFault(kind, file, `${DATABASE_FAULTS[kind]} (${messageOf(error)})`, error);
}
