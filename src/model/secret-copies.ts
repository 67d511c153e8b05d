import { withoutEnd } from '../kit/without-end.ts';

/** The fields of a Secret that are read here. */
interface SecretState {
  readonly type?: unknown;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  readonly stringData?: Readonly<Record<string, unknown>> | undefined;
}

/** A text is hidden if it is a value of at least this length: shorter ones are words such as yes and no. */
const SHORTEST_EQUAL = 4;
/** A text is hidden if it contains a value of at least this length. */
const SHORTEST_PART = 6;

/**
 * The values of Secrets, as a text elsewhere in the same object may repeat them: plain, and in base64 with and without
 * its padding. A server copies them there for a JSON patch, and other writers do so by themselves.
 */
export class SecretCopies {
  readonly #forms = new Set<string>();

  /** Values that are longer than `longest` characters cannot be a part of any text in question, and are left out. */
  constructor(states: readonly object[], longest: number) {
    for (const state of states as readonly SecretState[]) {
      for (const [name, value] of Object.entries(state.data ?? {}))
        if (!isPublic(name, state) && typeof value === 'string' && (value.length * 3) / 4 <= longest + 2)
          this.#addEncoded(value);
      for (const value of Object.values(state.stringData ?? {}))
        if (typeof value === 'string' && value.length <= longest) this.#addPlain(value);
    }
  }

  /** Whether a text is or contains a value. */
  isIn(text: string): boolean {
    if (text.length < SHORTEST_EQUAL) return false;
    if (this.#forms.has(text)) return true;
    for (const form of this.#forms) if (form.length >= SHORTEST_PART && text.includes(form)) return true;
    return false;
  }

  #addEncoded(base64: string): void {
    const bytes = Buffer.from(base64, 'base64');
    if (bytes.length < SHORTEST_EQUAL) return;
    this.#forms.add(base64).add(withoutEnd(base64, '=')).add(bytes.toString('utf8'));
  }

  #addPlain(text: string): void {
    if (text.length < SHORTEST_EQUAL) return;
    const base64 = Buffer.from(text).toString('base64');
    this.#forms.add(text).add(base64).add(withoutEnd(base64, '='));
  }
}

/** The namespace in the token of a service account, which is also in its metadata. */
const isPublic = (name: string, { type }: SecretState) =>
  name === 'namespace' && type === 'kubernetes.io/service-account-token';
