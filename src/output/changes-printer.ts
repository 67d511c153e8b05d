import { type FieldChange, fieldChanges } from '../stream/field-changes.ts';
import { fieldManagers } from '../stream/field-managers.ts';
import type { Marker } from '../stream/markers.ts';
import { cellText } from './escape.ts';
import { type EventLinesOptions, refuseAnswer, subjectOf } from './event-lines.ts';
import { markerLine } from './marker-line.ts';
import { type Painter, plainPainter } from './painter.ts';
import type { PrintedEvent, Printer } from './printer.ts';
import { AlignedTable } from './table.ts';
import { timeTexts } from './timestamps.ts';
import { NO_VALUE, valuePair } from './values.ts';

const LIMIT = 80;

/** In place of a path, for a MODIFIED event in which no field that is shown differs. */
const NOTHING = '<no visible change>';

/**
 * A line for every field that changed: `MODIFIED   shop/web   .spec.replicas: 2 → 3  (kubectl-scale)`; objects that came or went have one line.
 * The parts are aligned and their order is fixed, so that `grep`, `cut` and `awk` can read them: TIME where asked for, EVENT, KEY, then the path up to
 * its `: `, the values around ` → ` (`<none>` for none) and, where managedFields tell it, two blanks and who wrote it in brackets.
 * Needs `oldObject` in events; managedFields are read and never shown.
 */
export class ChangesPrinter implements Printer {
  readonly #options: EventLinesOptions;
  readonly #timeText: ((time: string) => string) | undefined;
  readonly #table = new AlignedTable();

  constructor(options: EventLinesOptions) {
    this.#options = options;
    this.#timeText = options.timestamps && timeTexts(options.timestamps, options.clock);
  }

  events(batch: readonly PrintedEvent[]): string {
    const { painter = plainPainter } = this.#options;
    const lines = batch.flatMap((printed) => {
      const lead = this.#lead(printed);
      return changesOf(printed).map((change) => ({ printed, cells: [...lead, change.text], change }));
    });
    for (const { cells } of lines) this.#table.fit(cells.slice(0, -1));
    return lines
      .map(({ printed, cells, change }) =>
        this.#table.line(cells, (filled, i) => {
          if (i === cells.length - 1) return painted(change, filled, painter);
          return i === cells.length - 3 ? painter.event(printed.event.type, filled) : filled;
        }),
      )
      .map(withoutTail)
      .join('');
  }

  marker(marker: Marker): string {
    return `${(this.#options.painter ?? plainPainter).faint(markerLine(marker, this.#timeText?.(marker.time)))}\n`;
  }

  objects(): Iterable<string> {
    return refuseAnswer('changes');
  }

  #lead(printed: PrintedEvent): string[] {
    const { event } = printed;
    const key = this.#options.showKind ? subjectOf(printed) : cellText(event.key);
    return [...(this.#timeText ? [this.#timeText(event.time)] : []), event.type.padEnd('MODIFIED'.length), key];
  }
}

/** Objects that came or went have nothing behind their key; lines end where their text does. */
const withoutTail = (line: string) => line.replace(/ +\n$/, '\n');

/** What came and went stands out; between them is most of it. */
function painted({ kind }: ChangeText, text: string, painter: Painter): string {
  return kind && kind !== 'changed' ? painter.change(kind, text) : text;
}

interface ChangeText {
  readonly text: string;
  readonly kind?: FieldChange['kind'];
}

function changesOf({ event: { type, object, oldObject } }: PrintedEvent): ChangeText[] {
  if (type !== 'MODIFIED') return [{ text: '' }];
  if (!oldObject) return [{ text: NOTHING }];
  const managerOf = fieldManagers(oldObject, object);
  const changes = fieldChanges(oldObject, object).map((change) => ({ text: textOf(change, managerOf(change)), kind: change.kind }));
  return changes.length === 0 ? [{ text: NOTHING }] : changes;
}

function textOf({ path, kind, before, after }: FieldChange, manager: string | undefined): string {
  const [old, now] = valuePair(before, after, LIMIT);
  const values = `${kind === 'added' ? NO_VALUE : old} → ${kind === 'removed' ? NO_VALUE : now}`;
  return cellText(`${path}: ${values}${manager === undefined ? '' : `  (${manager})`}`);
}
