import { compareResourceVersions, type ResourceVersion } from '../model/resource-version.ts';
import type { RecordedSource, Revision } from './recording.ts';

/** The changes of a source behind which a watch can still be resumed. */
export const HISTORY = 10_000;

/** How far one source of a replay has got. */
export class ReplayTrack {
  readonly source: RecordedSource;
  /** The last revision that has happened. */
  revision = 0;
  /** The resourceVersion of a list now. */
  version: ResourceVersion = '';
  /** False before its first list. */
  isBegun = false;
  #passed: { readonly version: ResourceVersion; readonly revision: number }[] = [];

  constructor(source: RecordedSource) {
    this.source = source;
  }

  /** Begins with a list, whose state is that of a revision. No watch from before can be resumed. */
  begin(revision: number, version: ResourceVersion): void {
    this.isBegun = true;
    this.revision = Math.max(this.revision, revision);
    this.version = version;
    this.#passed = [{ version, revision: this.revision }];
  }

  pass({ id, version }: Revision): void {
    this.revision = id;
    this.version = later(this.version, version);
    this.#passed.push({ version, revision: id });
    if (this.#passed.length > 2 * HISTORY) this.#passed = this.#passed.slice(-HISTORY);
  }

  /** The revision behind which a watch from a version begins; undefined if its changes are not known any more. */
  placeOf(version: ResourceVersion): number | undefined {
    return this.#passed.findLast((each) => each.version === version || isAfter(version, each.version))?.revision;
  }
}

/** Whether a version is later than another one; false where they have no order. */
export const isAfter = (a: ResourceVersion, b: ResourceVersion) => (compareResourceVersions(a, b) ?? -1) > 0;

/** The later one of two versions; the second one where they have no order. */
export const later = (a: ResourceVersion, b: ResourceVersion): ResourceVersion => (isAfter(a, b) ? a : b || a);
