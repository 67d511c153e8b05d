import { isTooDeep } from '../../kit/depth.ts';
import { neutralised } from '../../kit/escape.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { creatorOf } from '../../stream/changes/field-managers.ts';
import { Enveloper, type ObjectChange, type ValueChange } from '../../stream/envelope.ts';
import type { Redactor } from '../../stream/redact.ts';
import type { UiProgram, UiTexts } from './ui-program.ts';
import type { UiChange, UiFieldChange } from './wire.ts';

/** Fields of one change that are kept; more are counted. */
const MOST_FIELDS = 60;
const LONGEST_VALUE = 200;
const LONGEST_PATH = 300;

/** Writes changes of objects as short texts: which fields changed, from what to what, and who wrote them. Redacted. */
export class ChangeRecorder {
  readonly #values: UiTexts['values'];
  readonly #enveloper: Enveloper;

  constructor({ values, clock }: Pick<UiTexts, 'values'> & Pick<UiProgram, 'clock'>, redactor: Redactor) {
    this.#values = values;
    this.#enveloper = new Enveloper({ redactor, clock, withChanges: true });
  }

  /** One record, or two for an object that was replaced by another one of its name. None for what was there already. */
  recordsOf(change: ObjectChange, type: ResourceType): UiChange[] {
    if (change.cause === 'initial' || change.cause === 'resync') return [];
    return this.#enveloper.envelop(change, type).map(({ type: what, cause, time, changes = [] }) => {
      const by = what === 'ADDED' && !isTooDeep(change.object) ? creatorOf(change.object) : undefined;
      return {
        at: Date.parse(time),
        what,
        cause,
        fields: changes.slice(0, MOST_FIELDS).map((field) => this.#fieldOf(field)),
        more: Math.max(0, changes.length - MOST_FIELDS),
        ...(by === undefined ? {} : { by: shortText(by) }),
      };
    });
  }

  #fieldOf(change: ValueChange): UiFieldChange {
    const [from, to] = this.#values(change.from, change.to, LONGEST_VALUE);
    return {
      path: shortText(change.path),
      ...('from' in change ? { from } : {}),
      ...('to' in change ? { to } : {}),
      ...(change.by === undefined ? {} : { by: shortText(change.by) }),
    };
  }
}

function shortText(text: string): string {
  const safe = neutralised(text.length > LONGEST_PATH ? `${text.slice(0, LONGEST_PATH)}…` : text);
  return safe;
}
