import { jsonText, parseJson } from '../../kit/exact-json.ts';

type Labels = Readonly<Record<string, string>>;

/** The most sets of labels that are remembered. Those of one workload come close together. */
const MOST = 4096;

/** Gives objects with the same labels the same map of them. */
export class SharedLabels {
  readonly #known = new Map<string, Labels>();

  share(labels: Labels | undefined): Labels | undefined {
    if (labels === undefined) return undefined;
    const text = jsonText(labels);
    const known = this.#known.get(text);
    if (known) return known;
    if (this.#known.size >= MOST) this.#known.clear();
    const copy = parseJson(text) as Labels;
    this.#known.set(text, copy);
    return copy;
  }
}
