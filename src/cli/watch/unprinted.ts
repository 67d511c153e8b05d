import { messageOf } from '../../kit/error.ts';
import type { EventEnvelope } from '../../stream/envelope.ts';
import { unprintableText } from '../../stream/shown-object.ts';
import type { StreamSummary } from '../../stream/summary.ts';
import { clusterText } from '../session/cluster-error.ts';

/** How many objects are remembered as reported; above that number an object may be reported again. */
const MOST_NAMED = 1_000;

export interface UnprintedOptions {
  /** The format in messages. */
  readonly called: string;
  readonly summary: StreamSummary;
  readonly notice: (text: string) => void;
}

/** Says on stderr what a format cannot print, each thing once. */
export class UnprintedReports {
  readonly #options: UnprintedOptions;
  readonly #objects = new Set<string>();
  readonly #reported = new Set<string>();

  constructor(options: UnprintedOptions) {
    this.#options = options;
  }

  /**
   * One object, or a record that is no event, that the format fails on: reported once for each thing that goes wrong.
   */
  failed(error: unknown, what: string): void {
    const text = messageOf(error);
    const kind = text.replaceAll(what, '').replace(/\d+/g, 'N');
    if (this.#reported.has(kind)) return;
    this.#reported.add(kind);
    const where = text.includes(what) ? text : `${what}: ${text}`;
    this.#options.notice(`-o ${this.#options.called}: ${where}; it is left out (reported once)`);
  }

  /** An object that no format can print: reported once for each object, counted each time. */
  unprintable({ key, gvr, cluster, object }: EventEnvelope): void {
    this.#options.summary.losses.unprintable++;
    const id = `${cluster === undefined ? '' : `${clusterText(cluster)}: `}${gvr} ${key}`;
    if (this.#objects.has(id)) return;
    if (this.#objects.size < MOST_NAMED) this.#objects.add(id);
    this.#options.notice(unprintableText(id, object));
  }
}
