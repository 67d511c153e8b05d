import { humanDuration } from '../kit/duration.ts';
import { jsonText } from '../kit/exact-json.ts';
import { cellsAt, rowOfStored } from '../model/cell-ages.ts';
import type { TableColumn } from '../model/cells.ts';
import { FieldSelector } from '../model/field-selector.ts';
import { formatGroupVersion } from '../model/gvr.ts';
import { LabelSelector } from '../model/label-selector.ts';
import type { ReadonlyObject } from '../model/object.ts';
import type { RecordedSource } from './recording.ts';
import type { StateShape } from './state-shape.ts';
import type { RecordedState } from './state-text.ts';

/** The form in which a request wants objects, and the objects that it selects. Source: Kubernetes API concepts. */
export class RecordedForm {
  readonly #columns: readonly TableColumn[];
  readonly #isTable: boolean;
  readonly #isPartial: boolean;
  /** The request asks for objects without managedFields. Source: KEP-5958. */
  readonly #dropsManagedFields: boolean;
  readonly #include: string;
  readonly #labels: LabelSelector;
  readonly #fields: FieldSelector;
  readonly #type: RecordedSource['type'] | undefined;

  readonly #now: () => number;

  /** `now`: the time of ages, wall-clock ms. */
  constructor(
    [source]: readonly RecordedSource[],
    query: URLSearchParams,
    { accept = '', now }: { readonly accept?: string | undefined; now(): number },
  ) {
    this.#now = now;
    const [first = ''] = accept.split(',');
    this.#type = source?.type;
    this.#columns = source?.columns ?? [];
    this.#isTable = first.includes(';as=Table') && this.#columns.length > 0;
    this.#isPartial = first.includes(';as=PartialObjectMetadata');
    this.#dropsManagedFields = first.includes(';drop=metadata.managedFields');
    this.#include = query.get('includeObject') ?? 'Metadata';
    this.#labels = LabelSelector.parse(query.get('labelSelector') ?? '');
    this.#fields = FieldSelector.parse(query.get('fieldSelector') ?? '');
  }

  /** The part of the objects that an answer of this form has, or chooses by. */
  get shape(): StateShape {
    const isOfMetadata = this.#isPartial || (this.#isTable && this.#include !== 'Object');
    if (isOfMetadata && this.#dropsManagedFields && this.#fields.matchesEverything) return 'metadata';
    return this.#dropsManagedFields ? 'bare' : 'whole';
  }

  selects({ object }: RecordedState): boolean {
    const { metadata } = object as unknown as ReadonlyObject;
    return this.#labels.matches(metadata.labels) && this.#fields.matches((field) => fieldOf(object, field));
  }

  /** The text of a list before its items or rows. `]}` ends it. */
  listBegin(resourceVersion: string): string {
    const metadata = `"metadata":${JSON.stringify({ resourceVersion })}`;
    if (this.#isTable) return this.#tableBegin(metadata, this.#columns);
    const [kind, version] = this.#names;
    return `{"kind":"${kind}List","apiVersion":"${version}",${metadata},"items":[`;
  }

  /** The text of an item, or of a row. */
  item({ object, cells }: RecordedState): string {
    const isPartial = this.#isPartial || (this.#isTable && this.#include === 'Metadata');
    const shown = isPartial ? metadataOf(object as unknown as ReadonlyObject) : object;
    return jsonText(
      this.#isTable ? { cells: this.#cells(object, cells), object: this.#include === 'None' ? null : shown } : shown,
    );
  }

  /** The text of the object of a watch's event. Only the first event of a watch describes the columns. */
  watched(state: RecordedState, isFirst: boolean): string {
    if (!this.#isTable) return this.item(state);
    return `${this.#tableBegin('"metadata":{}', isFirst ? this.#columns : null)}${this.item(state)}]}`;
  }

  /** The text of a bookmark's object. */
  bookmark(resourceVersion: string): string {
    const [kind, version] = this.#names;
    const metadata = `"metadata":${JSON.stringify({ resourceVersion, creationTimestamp: null })}`;
    const object = `{"kind":"${kind}","apiVersion":"${version}",${metadata}}`;
    return this.#isTable ? `${this.#tableBegin(metadata, null)}{"cells":[],"object":${object}}]}` : object;
  }

  /** The cells at the time of the answer, with the age, which a recording does not have. */
  #cells(object: RecordedState['object'], stored: readonly unknown[] = []): readonly unknown[] {
    const cells = cellsAt(rowOfStored(this.#columns, stored), this.#now());
    const age = this.#columns.findIndex(({ name }) => name === 'Age');
    const { creationTimestamp } = (object as unknown as ReadonlyObject).metadata;
    const created = Date.parse(creationTimestamp ?? '');
    if (cells[age] !== null || Number.isNaN(created)) return cells;
    return cells.with(age, humanDuration(Math.max(0, this.#now() - created)));
  }

  get #names(): readonly [kind: string, apiVersion: string] {
    if (this.#isPartial) return ['PartialObjectMetadata', META];
    return this.#type ? [this.#type.kind, formatGroupVersion(this.#type.gvr)] : ['', 'v1'];
  }

  #tableBegin(metadata: string, columns: readonly TableColumn[] | null): string {
    return `{"kind":"Table","apiVersion":"${META}",${metadata},"columnDefinitions":${jsonText(columns)},"rows":[`;
  }
}

const META = 'meta.k8s.io/v1';

/** A field as a selector names it: `status.phase`. '' where it is not there, as on a server. */
function fieldOf(object: RecordedState['object'], field: string): string {
  const value = field
    .split('.')
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], object);
  return value === undefined || value === null ? '' : String(value);
}

const metadataOf = ({ metadata }: ReadonlyObject) => ({
  kind: 'PartialObjectMetadata',
  apiVersion: META,
  metadata,
});
