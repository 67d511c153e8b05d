import type { Clock } from '../kit/clock.ts';
import { InformerError } from '../kit/error.ts';
import type { ReadonlyObject } from '../model/object.ts';
import type { PathScope } from '../stream/changes/path-scope.ts';
import { whyUnprintable } from '../stream/shown-object.ts';
import { cellText } from './escape.ts';
import type { Painter } from './painter.ts';
import { type PrintedEvent, typeName } from './printer.ts';
import type { Timestamps } from './timestamps.ts';

/** What the formats that show changes may be told. */
export interface EventLinesOptions {
  /** For relative times. */
  readonly clock: Pick<Clock, 'now'>;
  /** Keys carry their type: for several types. */
  readonly showKind?: boolean | undefined;
  readonly timestamps?: Timestamps | undefined;
  readonly painter?: Painter | undefined;
  /** Of what changed only these fields are shown. */
  readonly only?: PathScope | undefined;
  /** Values are shown whole, however long they are. */
  readonly fullValues?: boolean | undefined;
}

/** `deployment.apps/shop/web`: which object an event is of, for a reader of several types. */
export function subjectOf({ event, type }: PrintedEvent): string {
  return cellText(`${typeName(type)}/${event.key}`);
}

/** Why what changed cannot be shown; undefined where it can. */
export function unprintableIn(object: ReadonlyObject, oldObject: ReadonlyObject | undefined): string | undefined {
  const reason = whyUnprintable(object) ?? (oldObject && whyUnprintable(oldObject));
  return reason === undefined ? undefined : `cannot be printed: ${reason}`;
}

/** For formats that show what changed, which an answer cannot tell. */
export function refuseAnswer(format: string): never {
  throw new InformerError('argument', `-o ${format} shows changes, so it needs a stream of them`, {
    hint: `use it with watch, or -o yaml for the objects as they are`,
  });
}
