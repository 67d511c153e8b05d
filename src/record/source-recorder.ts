import type { NotificationCause } from '../informer/handlers/notification.ts';
import type { Continuity } from '../informer/watch/continuity-ledger.ts';
import { cellsOf, type TableColumn } from '../model/cells.ts';
import { formatGroupVersion, isSecretResource } from '../model/gvr.ts';
import { partsOfKey } from '../model/key.ts';
import { withParsedManagedFields } from '../model/managed-fields-text.ts';
import type { ReadonlyObject } from '../model/object.ts';
import type { ResourceType } from '../model/resource-type.ts';
import type { Redactor } from '../stream/redact.ts';
import { managedFieldsChange } from './managed-fields-change.ts';
import { type ChangeFacts, createdBy, recordedChange } from './recorded-change.ts';
import { gapBefore, newGap, type RecordedGap } from './recorded-gap.ts';
import type { KnownState, NewRevision, RecordedScope, RecordedStretch, RecordingWriter } from './recording-writer.ts';
import { cellsToRecord, stateText } from './state-text.ts';

/** A change of one object, as an informer reports it. */
export interface SeenChange {
  readonly key: string;
  readonly object: ReadonlyObject;
  /** The state before; undefined for a new object. */
  readonly before: ReadonlyObject | undefined;
  readonly isGone: boolean;
  readonly cause: NotificationCause;
}

export interface SourceRecorderOptions {
  readonly writer: RecordingWriter;
  readonly redactor: Redactor;
  readonly scope: RecordedScope;
  /** Takes the revisions in their order. */
  take(revision: NewRevision): void;
}

/** Turns what an informer reports of one source into revisions, and keeps the account of what was and was not seen. */
export class SourceRecorder {
  readonly #options: SourceRecorderOptions;
  readonly #source: number;
  #known: Map<string, KnownState>;
  /** The keys that a list has shown; undefined when none goes on. */
  #listed: Set<string> | undefined = new Set();
  #columns: readonly TableColumn[] | undefined;
  #stretch: RecordedStretch | undefined;
  #gap: RecordedGap | undefined;
  #isDoubted = false;
  /** The stretches and gaps that have ended since the last write. */
  #ended: (RecordedStretch | RecordedGap)[] = [];
  /** How far the file says that the stretch goes. */
  #written: Pick<RecordedStretch, 'until' | 'lastVersion'> | undefined;
  /** The last states of objects that are being deleted: an informer gives only the final one. */
  readonly #ending = new Map<string, ReadonlyObject>();

  constructor(options: SourceRecorderOptions) {
    const { writer, scope } = options;
    this.#options = options;
    this.#source = writer.source(scope);
    this.#known = writer.known(this.#source);
    const last = writer.lastStretch(this.#source);
    if (last) this.#gap = gapBefore(this.#source, last);
  }

  /** The stretches and gaps that the file must have. {@link written} must follow a successful write. */
  account(): { readonly stretches: readonly RecordedStretch[]; readonly gaps: readonly RecordedGap[] } {
    const all = [...this.#ended, this.#stretch, this.#gap].filter((each) => each !== undefined);
    return { stretches: all.filter((each) => 'how' in each), gaps: all.filter((each) => 'reason' in each) };
  }

  written(): void {
    this.#ended = [];
    this.#written = this.#stretch && { until: this.#stretch.until, lastVersion: this.#stretch.lastVersion };
  }

  see({ key, object, before, isGone, cause }: SeenChange): void {
    const known = this.#known.get(key);
    const { uid = '', resourceVersion: version = '' } = object.metadata;
    if (isGone) {
      if (known) this.#put(key, 'DELETED', object, before, cause, known);
      return;
    }
    this.#listed?.add(key);
    if (known?.uid === uid && known.version === version) return;
    if (known && known.uid !== uid) this.#put(key, 'DELETED', before ?? object, before, 'relist', known);
    const isSame = known?.uid === uid;
    this.#put(
      key,
      isSame ? 'MODIFIED' : 'ADDED',
      object,
      isSame ? before : undefined,
      cause,
      isSame ? known : undefined,
    );
  }

  /** A whole list has been seen: what was known and is not in it has gone, and nothing is missing from here on. */
  listed(how: 'initial' | 'relist', version: string, objects: number): void {
    const now = this.#options.writer.now();
    const listed = this.#listed;
    this.#listed = undefined;
    for (const [key, known] of listed ? [...this.#known] : [])
      if (!listed?.has(key)) this.#put(key, 'DELETED', undefined, undefined, 'relist', known);
    if (this.#gap) {
      this.#gap.until = now;
      this.#gap.toVersion = version;
      this.#ended.push(this.#gap);
    }
    this.#gap = undefined;
    this.#isDoubted = false;
    if (this.#stretch) this.#ended.push(this.#stretch);
    this.#stretch = {
      source: this.#source,
      how,
      since: now,
      until: now,
      firstVersion: version,
      lastVersion: version,
      objects,
    };
  }

  /** From here on changes may be missing, until the next list. */
  lost(reason: string): void {
    if (this.#gap) {
      this.#gap.reason = reason;
      return;
    }
    if (!this.#stretch) return;
    this.#gap = newGap(this.#source, reason, this.#stretch.until, this.#stretch.lastVersion);
    this.#ended.push(this.#stretch);
    this.#stretch = undefined;
  }

  /** A watch was resumed, and nothing shows yet that the server still has all that happened since. */
  doubted(): void {
    if (!this.#stretch || this.#gap) return;
    this.#gap = newGap(this.#source, 'unproven', this.#stretch.until, this.#stretch.lastVersion);
    this.#isDoubted = true;
  }

  /** The doubt has gone: nothing was missed. */
  proven(): void {
    if (!this.#isDoubted || !this.#gap) return;
    this.#options.writer.withdraw(this.#gap);
    this.#gap = undefined;
    this.#isDoubted = false;
  }

  /** The source has shown that it is current. All its changes have been seen. */
  reached({ lastSignOfLife, resourceVersion }: Continuity): void {
    if (!this.#stretch || this.#gap || lastSignOfLife === undefined) return;
    this.#stretch.until = Math.max(this.#stretch.until, this.#options.writer.time.of(lastSignOfLife));
    this.#stretch.lastVersion = resourceVersion;
  }

  /** The file could not be written: what was seen since the last write is not in it. {@link begin} must follow. */
  unwritten(reason: string): void {
    if (this.#stretch && this.#written) Object.assign(this.#stretch, this.#written);
    this.lost(reason);
  }

  /** Begins again with what the file has. The whole state must follow, and {@link listed}. */
  begin(): void {
    this.#known = this.#options.writer.known(this.#source);
    this.#listed = new Set();
    this.#ending.clear();
  }

  #put(
    key: string,
    event: NewRevision['event'],
    shown: ReadonlyObject | undefined,
    before: ReadonlyObject | undefined,
    cause: NotificationCause,
    known: KnownState | undefined,
  ): void {
    const { writer, redactor, scope } = this.#options;
    const { gvr } = scope.type;
    const cells = shown && this.#cells(shown, scope.type);
    const last = [before, this.#ending.get(key)].find((each) => each && isVersion(each, known));
    // of Secrets, marks depend on the states beside them
    const [hidden, oldHidden] = [
      shown && redactor.redact(shown, gvr, last ? [last] : []),
      last && redactor.redact(last, gvr, shown ? [shown] : []),
    ];
    let object = hidden && typed(hidden, scope.type);
    let old = oldHidden && typed(oldHidden, scope.type);
    const managedFields = object && old && managedFieldsChange(old, object);
    if (object && old && !managedFields)
      [object, old] = [withParsedManagedFields(object), withParsedManagedFields(old)];
    const base = old && !isSecretResource(gvr) ? old : undefined;
    const { text, depth, shared } = object
      ? stateText(
          { object, cells },
          base && { object: base, cells: cellsToRecord(cellsOf(base)), depth: known?.depth ?? 0 },
          managedFields?.delta,
        )
      : { text: '\n{}', depth: (known?.depth ?? 0) + 1, shared: undefined };
    const compared = shared && managedFields ? { ...object, ...shared } : shared; // with the text of its managedFields
    const at = writer.now();
    const { uid = known?.uid ?? '', resourceVersion: version = known?.version ?? '' } = object?.metadata ?? {};
    const isWatched = cause === 'watch';
    const place = known?.object ?? writer.newObject();
    if (event === 'DELETED') this.#ending.delete(key);
    else if (shown?.metadata.deletionTimestamp) this.#ending.set(key, shown);
    if (event === 'DELETED') this.#known.delete(key);
    else this.#known.set(key, { object: place, uid, version, depth });
    this.#count(event, cause);
    if (isWatched && this.#stretch && !this.#gap) this.#stretch.until = Math.max(this.#stretch.until, at);
    this.#options.take({
      source: this.#source,
      object: place,
      identity: known ? undefined : { ...partsOfKey(key), uid },
      at,
      version,
      event,
      cause: cause === 'initial' || cause === 'watch' ? cause : 'relist',
      change: this.#changeOf(event, (compared as ReadonlyObject | undefined) ?? object, old, {
        isOneWrite: isWatched,
        renewed: managedFields?.renewed,
        shown: last && shown && hidden === shown && oldHidden === last ? [last, shown] : undefined,
      }),
      text,
      depth,
      state: event === 'DELETED' || !object ? undefined : { object, cells },
    });
  }

  #changeOf(
    event: NewRevision['event'],
    object: ReadonlyObject | undefined,
    old: ReadonlyObject | undefined,
    facts: ChangeFacts,
  ) {
    if (!object || event === 'DELETED') return undefined;
    if (event === 'ADDED') return facts.isOneWrite ? createdBy(object) : undefined;
    return old && recordedChange(old, object, facts);
  }

  #count(event: NewRevision['event'], cause: NotificationCause): void {
    if (!this.#gap || cause === 'watch') return;
    this.#gap[event === 'ADDED' ? 'added' : event === 'DELETED' ? 'deleted' : 'changed']++;
  }

  #cells(object: ReadonlyObject, type: ResourceType): readonly unknown[] | undefined {
    const row = cellsOf(object);
    if (row && row.columns !== this.#columns) {
      this.#columns = row.columns;
      this.#options.writer.columns(this.#source, type, row.columns);
    }
    return cellsToRecord(row);
  }
}

const isVersion = ({ metadata: { uid, resourceVersion } }: ReadonlyObject, known: KnownState | undefined) =>
  known !== undefined && known.uid === uid && known.version === resourceVersion;

/** The object with apiVersion and kind, which items of a list lack. */
function typed(object: ReadonlyObject, { gvr, kind }: ResourceType): ReadonlyObject {
  if (object.kind !== undefined && object.apiVersion !== undefined) return object;
  return { apiVersion: formatGroupVersion(gvr), kind, ...object };
}
