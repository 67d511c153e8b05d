import { withoutEnd } from '../../kit/without-end.ts';
import { type FieldChange, fieldChanges } from '../../model/field-changes.ts';
import { creatorOf, fieldManagers } from '../../stream/changes/field-managers.ts';
import { eventWordOf } from '../../stream/envelope.ts';
import type { Marker } from '../../stream/markers.ts';
import { cellText } from '../escape.ts';
import { type EventLinesOptions, keyText, refuseAnswer, subjectOf, unprintableIn } from '../event-lines.ts';
import { markerLine } from '../marker-line.ts';
import { type Painter, plainPainter } from '../painter.ts';
import type { PrintedEvent, Printer } from '../printer.ts';
import { AlignedTable } from '../tables/table.ts';
import { timeTexts } from '../timestamps.ts';
import { NO_VALUE, valuePair } from '../value-text.ts';

const LIMIT = 80;

/** The text in place of a path, for a MODIFIED event without a difference in the shown fields. */
const NOTHING = '<no visible change>';

/**
 * Prints one line for every changed field: `MODIFIED   shop/web   .spec.replicas: 2 → 3  (kubectl-scale)`. An added or
 * deleted object is one line, for an added one with its creator in brackets if managedFields have it.
 *
 * The parts are aligned and in a fixed order, so that `grep`, `cut` and `awk` can process them: TIME if requested,
 * EVENT, KEY, the path up to `: `, the two values around ` → ` (`<none>` for no value) and, if managedFields have it,
 * two spaces and the writer in brackets. Events must have `oldObject`. managedFields are read and never printed.
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
    const key = this.#options.showKind ? subjectOf(printed) : keyText(printed);
    return [...(this.#timeText ? [this.#timeText(event.time)] : []), eventWordOf(event).padEnd('MODIFIED'.length), key];
  }
}

/** The line without spaces at its end: an added or deleted object may have no text after its key. */
const withoutTail = (line: string) => `${withoutEnd(line.slice(0, -1), ' ')}\n`;

/**
 * Adds colours: green for what was added, red for what was removed, also for the two values of a change; the writer is
 * faint.
 */
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

/** The changes of an event as plain texts, without its key: `.spec.replicas: 2 → 3  (kubectl-scale)`. */
export const changeTexts = (printed: PrintedEvent): string[] => changesOf(printed, {}).map(({ text }) => text);

function changesOf(
  { event }: PrintedEvent,
  { only, fullValues }: Pick<EventLinesOptions, 'only' | 'fullValues'>,
): ChangeText[] {
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
