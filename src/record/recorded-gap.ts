/** A time in which changes may be missing. */
export interface RecordedGap {
  readonly source: number;
  reason: string;
  readonly since: number;
  until: number | undefined;
  readonly fromVersion: string;
  toVersion: string;
  added: number;
  changed: number;
  deleted: number;
}

/** A gap of a source. Nothing of it has been counted yet. */
export const newGap = (source: number, reason: string, since: number, fromVersion: string): RecordedGap => ({
  source,
  reason,
  since,
  until: undefined,
  fromVersion,
  toVersion: '',
  added: 0,
  changed: 0,
  deleted: 0,
});

/** The gap with which a run begins: the run before it ended in order, or was killed. */
export const gapBefore = (
  source: number,
  last: { readonly until: number; readonly lastVersion: string; readonly ended: string | null },
): RecordedGap => newGap(source, last.ended === null ? 'killed' : 'stopped', last.until, last.lastVersion);
