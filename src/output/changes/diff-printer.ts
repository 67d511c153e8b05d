import { humanDuration } from '../../kit/duration.ts';
import { type FieldChange, fieldChanges } from '../../model/field-changes.ts';
import { creatorOf } from '../../stream/changes/field-managers.ts';
import { eventWordOf } from '../../stream/envelope.ts';
import type { Marker } from '../../stream/markers.ts';
import { cellText } from '../escape.ts';
import { type EventLinesOptions, refuseAnswer, subjectOf, unprintableIn } from '../event-lines.ts';
import { markerLine } from '../marker-line.ts';
import { objectSummary } from '../objects/object-summary.ts';
import { type Painter, plainPainter } from '../painter.ts';
import { type PrintedEvent, type Printer, typeName } from '../printer.ts';
import { timeTexts } from '../timestamps.ts';
import { changeLines, type MarkedLine } from './change-lines.ts';

/**
 * Prints the changes of every event for people: a heading, then the fields with their values before and after, marked
 * as in a diff. An added or deleted object is one line with a summary. Fields that every write changes
 * (resourceVersion, generation, managedFields) are left out. Events must have `oldObject`. The format for programs is
 * `changes`.
 */
export class DiffPrinter implements Printer {
  readonly #options: EventLinesOptions;
  readonly #painter: Painter;
  readonly #timeText: ((time: string) => string) | undefined;
  /** The kind of the last text. A diff has an empty line before and after it. */
  #last: 'line' | 'diff' | undefined;

  constructor(options: EventLinesOptions) {
    const { painter = plainPainter, timestamps, clock } = options;
    this.#options = options;
    this.#painter = painter;
    this.#timeText = timestamps && timeTexts(timestamps, clock);
  }

  events(batch: readonly PrintedEvent[]): string {
    return batch.map((printed) => this.#print(printed)).join('');
  }

  marker(marker: Marker): string {
    const between = this.#last === 'diff' ? '\n' : '';
    this.#last = 'line';
    return `${between}${this.#painter.faint(markerLine(marker, this.#timeText?.(marker.time)))}\n`;
  }

  objects(): Iterable<string> {
    return refuseAnswer('diff');
  }

  #print(printed: PrintedEvent): string {
    const changes = changesOf(printed, this.#options);
    const kind = changes.length > 0 ? 'diff' : 'line';
    const between = this.#last && (this.#last === 'diff' || kind === 'diff') ? '\n' : '';
    this.#last = kind;
    return (
      between +
      this.#heading(printed, changes) +
      changeLines(changes, this.#options.fullValues)
        .map((line) => this.#line(line))
        .join('')
    );
  }

  #heading(printed: PrintedEvent, changes: readonly FieldChange[]): string {
    const { event, type } = printed;
    const time = this.#timeText ? `${this.#painter.faint(this.#timeText(event.time))} ` : '';
    const word = eventWordOf(event);
    const what = this.#painter.event(word, word.padEnd('MODIFIED'.length));
    const note = noteOf(printed, changes);
    const subject = this.#painter.type(typeName(type), subjectOf(printed));
    return `${time}${what} ${subject}${note === '' ? '' : `  ${this.#painter.faint(note)}`}\n`;
  }

  #line({ mark, text, parts }: MarkedLine): string {
    const painter = this.#painter;
    if (mark === '') return `  ${painter.faint(text)}\n`;
    const sign = { added: '+', removed: '-', changed: '~' }[mark];
    if (!parts) return `${painter.change(mark, `${sign} ${text}`)}\n`;
    const values = `${painter.change('removed', parts.before)} → ${painter.change('added', parts.after)}`;
    return `${painter.change(mark, sign)} ${text}${values}\n`;
  }
}

function changesOf({ event: { type, object, oldObject } }: PrintedEvent, { only }: EventLinesOptions): FieldChange[] {
  if (type !== 'MODIFIED' || !oldObject || unprintableIn(object, oldObject) !== undefined) return [];
  return fieldChanges(oldObject, object).filter(({ steps }) => only?.(steps) ?? true);
}

function noteOf({ event }: PrintedEvent, changes: readonly FieldChange[]): string {
  const { type, object, oldObject } = event;
  const reason = unprintableIn(object, oldObject);
  if (reason !== undefined) return `(${reason})`;
  if (type === 'MODIFIED') return changes.length === 0 ? '(no visible change)' : '';
  if (type === 'ADDED') {
    const creator = event.cause === 'watch' ? creatorOf(object) : undefined;
    return [objectSummary(object), creator === undefined ? '' : cellText(`created by ${creator}`)]
      .filter((text) => text !== '')
      .join(', ');
  }
  if (eventWordOf(event) === 'LEFT') return objectSummary(object);
  const lived = Date.parse(event.time) - Date.parse(object.metadata.creationTimestamp ?? '');
  const words = [objectSummary(object), Number.isNaN(lived) ? '' : `lived ${humanDuration(lived)}`].filter(
    (word) => word !== '',
  );
  return `${words.join(', ')}${event.finalStateUnknown ? ' (inferred: its last state was not seen)' : ''}`.trimStart();
}
