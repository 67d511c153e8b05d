import type { ReadonlyObject } from '../../model/object.ts';
import type { Redactor } from '../../stream/redact.ts';
import { shownObject } from '../../stream/shown-object.ts';
import type { ChangeHistory } from './change-history.ts';
import { eventCacheOf, eventsAbout, isAbout, ownersOf } from './related.ts';
import type { UiCache, UiProgram } from './ui-program.ts';
import type { UiMessage, UiSubject } from './wire.ts';

/** A longer text is cut: a browser cannot show it without a long pause. */
const LONGEST_YAML = 400_000;

/** One object for one page: its YAML, its owners, Events about it and its changes, sent again after each change. */
export class ObjectFeed {
  readonly #program: UiProgram;
  readonly #cache: UiCache;
  readonly #subject: UiSubject;
  readonly #number: number;
  readonly #history: Pick<ChangeHistory, 'of'>;
  readonly #redactor: Redactor;
  #isOwed = true;

  constructor(
    program: UiProgram,
    { cache, subject, number }: { cache: UiCache; subject: UiSubject; number: number },
    history: Pick<ChangeHistory, 'of'>,
    redactor: Redactor,
  ) {
    this.#program = program;
    this.#cache = cache;
    this.#subject = subject;
    this.#number = number;
    this.#history = history;
    this.#redactor = redactor;
  }

  changed(type: string, key: string): void {
    if (this.#isOwed) return;
    if (type === this.#subject.type && key === this.#subject.key) this.#isOwed = true;
    const events = eventCacheOf(this.#program.caches());
    if (events?.id !== type) return;
    const [event, object] = [events.informer.lister.get(key), this.#object];
    if (event && object && isAbout(event, object, this.#cache.type.kind)) this.#isOwed = true;
  }

  /** The message that is due; undefined if the page has the newest state. */
  next(): UiMessage | undefined {
    if (!this.#isOwed) return undefined;
    this.#isOwed = false;
    const { type, key } = this.#subject;
    const object = this.#object;
    const caches = this.#program.caches();
    const events = eventCacheOf(caches);
    const yaml =
      object && this.#program.texts.yaml(shownObject(object, this.#cache.type, { redactor: this.#redactor }));
    return {
      event: 'object',
      data: {
        view: this.#number,
        key,
        ...(yaml === undefined ? {} : { yaml: yaml.slice(0, LONGEST_YAML) }),
        cut: Math.max(0, (yaml?.length ?? 0) - LONGEST_YAML),
        owners: object ? ownersOf(caches, object) : [],
        ...(events ? { events: object ? eventsAbout(events, object, this.#cache.type.kind) : [] } : {}),
        ...this.#history.of(type, key),
      },
    };
  }

  get #object(): ReadonlyObject | undefined {
    return this.#cache.informer.lister.get(this.#subject.key);
  }
}
