import { laterStateText, type PassedObjects } from '../../informer/watch/passing-source.ts';
import type { FieldReads } from '../../model/field-path.ts';
import type { ReadonlyObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { PassedSample, WHOLE_FOR_HINTS } from './passed-sample.ts';

/** One list that is printed while it arrives. */
interface PassedList extends Partial<Pick<PassedObjects, 'needsText'>>, Pick<PassedObjects, 'fields'> {
  readonly type: ResourceType;
  /** The fields that the expressions of the command line read, for hints. */
  readonly reads: readonly FieldReads[];
  notice(text: string): void;
}

/** The command that prints it. */
interface Passer extends Pick<PassedObjects, 'keeps'> {
  /** Prints an object; a promise while the reader of the output has no room for more. */
  print(object: ReadonlyObject, text: string | undefined): Promise<void> | undefined;
  /** Forgets what was not printed; false if something was. */
  forget(): boolean;
}

/** Passes the objects of one list to the command that prints them, and remembers what its hints need of them. */
export class Passing {
  readonly sample: PassedSample;
  readonly objects: PassedObjects;
  /** Resolves when the reader of the output has room again. */
  #full: Promise<void> | undefined;

  constructor({ type, reads, fields, needsText = false, notice }: PassedList, passer: Passer) {
    this.sample = new PassedSample(type, reads);
    const needsWhole = fields !== undefined && reads.some(({ addresses }) => addresses.length > 0);
    this.objects = {
      fields,
      needsText,
      wholeFirst: needsWhole ? WHOLE_FOR_HINTS : 0,
      keeps: (object) => {
        this.sample.add(object);
        return passer.keeps(object);
      },
      take: (object, text) => {
        this.sample.matched();
        const full = passer.print(object, text);
        if (full) this.#full ??= full.finally(() => (this.#full = undefined));
      },
      room: () => this.#full,
      restart: () => {
        if (!passer.forget()) return false;
        this.sample.clear();
        return true;
      },
      onLater: (passed) => notice(laterStateText(type, passed)),
    };
  }
}
