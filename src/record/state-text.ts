import { jsonText, parseJson } from '../kit/exact-json.ts';
import { sameValue } from '../kit/same-value.ts';
import { storedCells } from '../model/cell-ages.ts';
import type { Cells } from '../model/cells.ts';
import { managedFieldsText } from '../model/managed-fields-text.ts';
import { applyDelta, deltaOf, type ListDelta, type MapDelta, sharing } from './delta.ts';
import { type StateShape, shapedDelta } from './state-shape.ts';

/** A state of an object, with the cells of its row. */
export interface RecordedState {
  readonly object: Readonly<Record<string, unknown>>;
  /**
   * Undefined where the server gave none. The cell of an age is null: it is not the same a second later. Behind the last
   * one is when the row was printed, if another cell says how long ago something was.
   */
  readonly cells: readonly unknown[] | undefined;
}

/** The most differences between two whole states of an object. */
const MOST_DELTAS = 32;
/** A longer difference is compared with the whole state. */
const LONG = 2048;

/** A state as it is written, and what is known of it. */
export interface StateText {
  /** The cells, a line end, which JSON does not have, and the object or its difference. */
  readonly text: string;
  /** 0: the whole state; else the number of differences since one. */
  readonly depth: number;
  /** The object; the parts that have not changed are those of the state before, so that it is compared at once. */
  readonly shared: RecordedState['object'];
}

/**
 * The text of a state; as a difference where the state before is in the file, `depth` differences after a whole one.
 * `managedFields`: the difference of those, where they are texts beside both objects.
 */
export function stateText(
  state: RecordedState,
  before: (RecordedState & { readonly depth: number }) | undefined,
  managedFields?: ListDelta,
): StateText {
  const { object, cells } = state;
  if (!before) return { text: wholeStateText(state), depth: 0, shared: object };
  const delta = deltaOf(before.object, object) ?? {};
  const shared = sharing(before.object, object, delta);
  const text = jsonText(managedFields ? withManagedFieldsDelta(delta, managedFields) : delta);
  const isShort = before.depth < MOST_DELTAS && (text.length <= LONG || text.length < objectText(object).length / 2);
  if (!isShort) return { text: wholeStateText(state), depth: 0, shared };
  const shown = sameValue(before.cells, cells) ? '' : jsonText(cells ?? null);
  return { text: `${shown}\n${text}`, depth: before.depth + 1, shared };
}

/** The text of a whole state. */
export const wholeStateText = ({ object, cells }: RecordedState) => `${jsonText(cells ?? null)}\n${objectText(object)}`;

/** The JSON of an object, with the managedFields whose text is beside it at the end of its metadata. */
function objectText(object: RecordedState['object']): string {
  const text = managedFieldsText(object);
  if (text === undefined) return jsonText(object);
  const metadata = jsonText({ ...(object.metadata as object) }).slice(1, -1);
  const members = Object.entries(object).map(([name, value]) => {
    if (name === 'metadata') return `"metadata":{${metadata}${metadata && ','}"managedFields":${text}}`;
    return value === undefined ? undefined : `${JSON.stringify(name)}:${jsonText(value)}`;
  });
  return `{${members.filter((each) => each !== undefined).join(',')}}`;
}

function withManagedFieldsDelta(delta: MapDelta, managedFields: ListDelta): MapDelta {
  const metadata = delta['~']?.metadata as MapDelta | undefined;
  const inner = { ...metadata, '~': { ...metadata?.['~'], managedFields } };
  return { ...delta, '~': { ...delta['~'], metadata: inner } };
}

/** The state of a text. `before` is the state before a difference; both are of a shape. */
export function stateOf(text: string, before: RecordedState | undefined, shape: StateShape = 'whole'): RecordedState {
  const end = text.indexOf('\n');
  const body = parseJson(text.slice(end + 1)) as Readonly<Record<string, unknown>>;
  const cells = end === 0 ? before?.cells : ((parseJson(text.slice(0, end)) as unknown[] | null) ?? undefined);
  return { object: before ? applyDelta(before.object, shapedDelta(body as MapDelta, shape)) : body, cells };
}

/** The cells of a row without its age. */
export function cellsToRecord(row: Cells | undefined): readonly unknown[] | undefined {
  if (!row) return undefined;
  const age = row.columns.findIndex(({ name }) => name === 'Age');
  const cells = storedCells(row);
  return age < 0 || age >= cells.length ? cells : cells.with(age, null);
}
