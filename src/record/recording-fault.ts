import { DATABASE_FAULTS, type DatabaseFaultKind, databaseFaultKind } from '../kit/database-file.ts';
import { InformerError, messageOf } from '../kit/error.ts';

const HINTS: Readonly<Record<DatabaseFaultKind, string>> = {
  locked: 'one process records into a file: end the other one, or name another file',
  damaged: 'name another file; what can be saved of this one, sqlite3 FILE .recover prints',
  newer: 'use the version of kubectl-informer that made it',
  foreign: 'name another file',
  full: 'make room on the disk, or limit the recording with --record-keep or --record-size',
  unusable: 'name another file',
};

/** A fault of a recording. Nothing was read that is wrong. */
export class RecordingFault extends InformerError {
  readonly kind: DatabaseFaultKind;

  constructor(kind: DatabaseFaultKind, file: string, what: string, cause?: unknown) {
    super('store', `${file}: ${what}`, { hint: HINTS[kind], cause });
    this.kind = kind;
  }
}

/** The fault behind an error of the database or of the file system. */
export function recordingFault(error: unknown, file: string): RecordingFault {
  if (error instanceof RecordingFault) return error;
  const kind = databaseFaultKind(error);
  return new RecordingFault(kind, file, `${DATABASE_FAULTS[kind]} (${messageOf(error)})`, error);
}
