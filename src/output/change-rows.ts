import type { EventEnvelope } from '../stream/envelope.ts';
import { neutralised } from './escape.ts';
import { SIGNS } from './tables/event-signs.ts';

/** The most fields that a row names. */
const MOST_FIELDS = 6;

export interface ChangeRowsOptions {
  readonly severalTypes: boolean;
  readonly noHeaders: boolean;
  /** The time of a change. Default: rows have none. */
  readonly timeOf?: ((envelope: EventEnvelope) => string) | undefined;
  /** The last cell of a row. Default: the fields that changed. */
  readonly textOf?: ((envelope: EventEnvelope) => string) | undefined;
}

/** Net changes as rows for people: a mark, the object, and the fields that changed. '' when there is none. */
export function changeRows(
  envelopes: readonly EventEnvelope[],
  { severalTypes, noHeaders, timeOf, textOf = ({ changed }) => fieldsText(changed) }: ChangeRowsOptions,
): string {
  if (envelopes.length === 0) return '';
  const rows = envelopes.map((envelope) => [
    SIGNS[envelope.type],
    timeOf?.(envelope) ?? '',
    envelope.cluster ?? '',
    ...(severalTypes ? [envelope.gvr] : []),
    neutralised(envelope.object.metadata.namespace ?? ''),
    neutralised(envelope.object.metadata.name ?? ''),
    neutralised(textOf(envelope)),
  ]);
  const header = [
    '',
    'TIME',
    'CLUSTER',
    ...(severalTypes ? ['TYPE'] : []),
    'NAMESPACE',
    'NAME',
    timeOf ? 'CHANGES' : 'FIELDS',
  ];
  const table = withoutEmptyColumns([header, ...rows]).slice(noHeaders ? 1 : 0);
  const widths = (table[0] ?? []).map((_, i) => Math.max(...table.map((row) => row[i]?.length ?? 0)));
  const lineOf = (row: readonly string[]) =>
    row
      .map((cell, i) => (i === 0 ? `${cell.padEnd(1)} ` : `${cell.padEnd(widths[i] ?? 0)}   `))
      .join('')
      .trimEnd();
  return table.map((row) => `${lineOf(row)}\n`).join('');
}

function fieldsText(paths: readonly string[]): string {
  const shown = paths.slice(0, MOST_FIELDS).map((text) => neutralised(text));
  const more = paths.length > MOST_FIELDS ? ` and ${paths.length - MOST_FIELDS} more` : '';
  return shown.join(', ') + more;
}

/** Objects without a namespace need no column for it, and only changed ones have fields. The mark stays. */
function withoutEmptyColumns(table: readonly (readonly string[])[]): (readonly string[])[] {
  const [header = [], ...rows] = table;
  const kept = header.map((_, i) => i === 0 || rows.some((row) => row[i] !== ''));
  return table.map((row) => row.filter((_, i) => kept[i]));
}
