import { type FieldChange, fieldChanges } from '../../stream/changes/field-changes.ts';
import { creatorOf, fieldManagers } from '../../stream/changes/field-managers.ts';
import { eventWordOf } from '../../stream/envelope.ts';
import type { Marker } from '../../stream/markers.ts';
import { cellText } from '../escape.ts';
import { type EventLinesOptions, refuseAnswer, subjectOf, unprintableIn } from '../event-lines.ts';
import { markerLine } from '../marker-line.ts';
import { type Painter, plainPainter } from '../painter.ts';
import type { PrintedEvent, Printer } from '../printer.ts';
import { AlignedTable } from '../tables/table.ts';
import { timeTexts } from '../timestamps.ts';
import { NO_VALUE, valuePair } from '../values.ts';

const LIMIT = 80;

/** In place of a path, for a MODIFIED event in which no field that is shown differs. */
const NOTHING = '<no visible change>';

/**
 * A line for every field that changed: `MODIFIED   shop/web   .spec.replicas: 2 → 3  (kubectl-scale)`; objects that came or went have one line,
 * with who created them in brackets where the object says so.
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
      return changesOf(printed, this.#options).map((change) => ({ printed, cells: [...lead, change.text], change }));
    });
    for (const { cells } of lines) this.#table.fit(cells.slice(0, -1));
    return lines
      .map(({ printed, cells, change }) =>
        this.#table.line(cells, (filled, i) => {
          if (i === cells.length - 1) return painted(change, painter);
          return i === cells.length - 3 ? painter.event(eventWordOf(printed.event), filled) : filled;
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
    return [...(this.#timeText ? [this.#timeText(event.time)] : []), eventWordOf(event).padEnd('MODIFIED'.length), key];
  }
}

/** Objects that came or went have nothing behind their key; lines end where their text does. */
const withoutTail = (line: string) => line.replace(/ +\n$/, '\n');

/** What came is green and what went red, whole or as the two values of a change; who wrote it is faint. */
function painted({ kind, parts, text }: ChangeText, painter: Painter): string {
  if (!parts) return text === '' ? '' : painter.faint(text);
  const { path, before, after, manager } = parts;
  const change =
    kind && kind !== 'changed'
      ? painter.change(kind, `${path}: ${before} → ${after}`)
      : `${path}: ${painter.change('removed', before)} → ${painter.change('added', after)}`;
  return change + (manager === '' ? '' : painter.faint(manager));
}

interface ChangeText {
  readonly text: string;
  readonly kind?: FieldChange['kind'];
  readonly parts?: { readonly path: string; readonly before: string; readonly after: string; readonly manager: string };
}

function changesOf({ event }: PrintedEvent, { only, fullValues }: EventLinesOptions): ChangeText[] {
  const { type, object, oldObject, cause } = event;
  const reason = unprintableIn(object, oldObject);
  if (reason !== undefined) return [{ text: `<${reason}>` }];
  if (type === 'ADDED' && cause === 'watch') {
    const creator = creatorOf(object);
    return [{ text: creator === undefined ? '' : cellText(`(${creator})`) }];
  }
  if (type !== 'MODIFIED') return [{ text: '' }];
  if (!oldObject) return [{ text: NOTHING }];
  const managerOf = fieldManagers(oldObject, object);
  const changes = fieldChanges(oldObject, object).filter(({ steps }) => only?.(steps) ?? true);
  const limit = fullValues ? Number.POSITIVE_INFINITY : LIMIT;
  return changes.length === 0 ? [{ text: NOTHING }] : changes.map((change) => textOf(change, managerOf(change), limit));
}

function textOf({ path, kind, before, after }: FieldChange, manager: string | undefined, limit: number): ChangeText {
  const [old, now] = valuePair(before, after, limit);
  const parts = {
    path: cellText(path),
    before: cellText(kind === 'added' ? NO_VALUE : old),
    after: cellText(kind === 'removed' ? NO_VALUE : now),
    manager: manager === undefined ? '' : cellText(`  (${manager})`),
  };
  return { text: `${parts.path}: ${parts.before} → ${parts.after}${parts.manager}`, kind, parts };
}
