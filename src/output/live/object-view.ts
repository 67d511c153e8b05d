import { whyUnprintable } from '../../stream/shown-object.ts';
import { cellText, neutralised } from '../escape.ts';
import { toYaml } from '../objects/yaml.ts';
import { type Painter, plainPainter } from '../painter.ts';
import { qualifiedName } from '../printer.ts';
import { cutToWidth, displayWidth } from '../tables/display-width.ts';
import { localTime } from '../timestamps.ts';
import type { LiveRow } from './live-row.ts';

/** How far a person has moved in the text. */
export interface ObjectPosition {
  readonly line: number;
  readonly column: number;
}

/** One object on the whole screen: what changed it since the start, the newest first, and the object as YAML. */
export class ObjectView {
  readonly #find: () => LiveRow;
  readonly #showManagedFields: boolean;
  #texts: { readonly object: unknown; readonly lines: readonly string[] } | undefined;

  /** `find` returns the row as it is now. */
  constructor(find: () => LiveRow, { showManagedFields }: { showManagedFields: boolean }) {
    this.#find = find;
    this.#showManagedFields = showManagedFields;
  }

  /** The name, the type and the place of the object. */
  get title(): string {
    const { object, type, mark } = this.#find();
    const { name = '', namespace } = object.metadata;
    const place = [namespace === undefined ? '' : ` in ${namespace}`, type.cluster ? ` of ${type.cluster}` : ''];
    return cellText(`${qualifiedName(name, type)}${place.join('')}${mark === 'removed' ? ' (deleted)' : ''}`);
  }

  /** The number of lines of the text. */
  get length(): number {
    return this.#historyLines(plainPainter, 0, Number.POSITIVE_INFINITY).length + this.#yaml.length + 2;
  }

  lines({ line, column }: ObjectPosition, rows: number, columns: number, painter: Painter): string[] {
    const all = [
      painter.heading(part('CHANGES since the start, the newest first', column, columns)),
      ...this.#historyLines(painter, column, columns),
      painter.heading(part('YAML', column, columns)),
      ...this.#yaml.map((text) => part(text, column, columns)),
    ];
    return all.slice(line, line + rows);
  }

  #historyLines(painter: Painter, column: number, columns: number): string[] {
    const { history } = this.#find();
    if (history.length === 0) return [painter.faint(part('  none yet', column, columns)), ''];
    const lines = history.map(({ time, event, text }) =>
      painter.event(
        event,
        part(`  ${localTime(time, 'seconds')}  ${event.padEnd('MODIFIED'.length)}  ${text}`, column, columns),
      ),
    );
    return [...lines, ''];
  }

  get #yaml(): readonly string[] {
    const { object } = this.#find();
    if (this.#texts?.object !== object) this.#texts = { object, lines: this.#yamlOf() };
    return this.#texts.lines;
  }

  #yamlOf(): string[] {
    const { object } = this.#find();
    const reason = whyUnprintable(object);
    if (reason !== undefined) return [`  this object cannot be printed: ${reason}`];
    const { managedFields, ...metadata } = object.metadata as typeof object.metadata & { managedFields?: unknown };
    const shown = this.#showManagedFields || managedFields === undefined ? object : { ...object, metadata };
    return toYaml(shown)
      .trimEnd()
      .split('\n')
      .map((text) => neutralised(text));
  }
}

/** The part of a line that is on the screen. */
function part(text: string, column: number, columns: number): string {
  if (column === 0) return cutToWidth(text, columns);
  const before = cutToWidth(text, column);
  return cutToWidth(text.slice(before.length), Math.max(0, columns - Math.max(0, displayWidth(before) - column)));
}
