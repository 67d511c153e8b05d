import type { Clock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import type { ReadonlyObject } from '../model/object.ts';
import type { PathScope } from '../stream/changes/path-scope.ts';
import { whyUnprintable } from '../stream/shown-object.ts';
import { cellText } from './escape.ts';
import type { Painter } from './painter.ts';
import { nameInPlace, type PrintedEvent, typeName } from './printer.ts';
import type { Timestamps } from './timestamps.ts';

/** The options of the formats that show changes. */
export interface EventLinesOptions {
  /** The clock of relative times. */
  readonly clock: Pick<Clock, 'now'>;
  /** Prints the type in front of each key. It is for streams of several types. */
  readonly showKind?: boolean | undefined;
  readonly timestamps?: Timestamps | undefined;
  readonly painter?: Painter | undefined;
  /** Limits the changes that are shown to these fields. */
  readonly only?: PathScope | undefined;
  /** Prints long values in full. */
  readonly fullValues?: boolean | undefined;
}

/** The object of an event with its type: `deployment.apps/shop/web`. */
export function subjectOf(printed: PrintedEvent): string {
  return keyText(printed, `${typeName(printed.type)}/`);
}

/** The object of an event: `shop/web`. */
export const keyText = ({ event, type }: PrintedEvent, before = ''): string =>
  cellText(nameInPlace(type, `${before}${event.key}`));

/** The reason why the changes of an object cannot be shown; undefined if they can. */
export function unprintableIn(object: ReadonlyObject, oldObject: ReadonlyObject | undefined): string | undefined {
  const reason = whyUnprintable(object) ?? (oldObject && whyUnprintable(oldObject));
  return reason === undefined ? undefined : `cannot be printed: ${reason}`;
}

/** Throws `argument`: the format shows changes, and an answer has none. */
export function refuseAnswer(format: string): never {
  throw new InformerError('argument', `-o ${format} shows changes, so it needs a stream of them`, {
    hint: `use it with watch, or -o yaml for the objects as they are`,
  });
}
