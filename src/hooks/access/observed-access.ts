import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { InformerError, messageOf } from '../../kit/error.ts';
import type { Access } from './request-access.ts';

/**
 * A file with what the requests of runs needed, each once: one JSON object a line. It holds no body, no name of an
 * object and no credential. Throws `argument` if the file cannot be written.
 */
export class AccessRecord {
  readonly #file: string;
  readonly #known: Set<string>;
  #onFailure: ((error: Error) => void) | undefined;

  /** `onFailure` is called at most once, when a line cannot be written later. */
  constructor(file: string, onFailure: (error: Error) => void) {
    this.#file = file;
    this.#onFailure = onFailure;
    this.#known = new Set(existsSync(file) ? readAccess(file).map(lineOf) : []);
    try {
      appendFileSync(file, '', { mode: 0o600 });
    } catch (cause) {
      throw new InformerError('argument', `cannot write ${file} of --observe: ${messageOf(cause)}`, { cause });
    }
  }

  add(access: Access): void {
    const line = lineOf(access);
    if (this.#known.has(line)) return;
    this.#known.add(line);
    try {
      appendFileSync(this.#file, `${line}\n`);
    } catch (cause) {
      this.#onFailure?.(
        new InformerError('argument', `cannot write ${this.#file} of --observe: ${messageOf(cause)}`, { cause }),
      );
      this.#onFailure = undefined;
    }
  }
}

const lineOf = ({ verb, group, resource, namespace }: Access) =>
  JSON.stringify({ verb, group, resource, ...(namespace === undefined ? {} : { namespace }) });

/** Reads what `--observe` wrote. Throws `argument` for a file that is something else. */
export function readAccess(file: string): Access[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new InformerError('argument', `cannot read ${file}: ${messageOf(cause)}`, {
      cause,
      hint: 'reconcile --observe FILE writes it',
    });
  }
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    const access = accessIn(line);
    if (access) return [access];
    throw new InformerError('argument', `line ${i + 1} of ${file} is not an observed request`, {
      hint: 'the file is written by reconcile --observe FILE',
    });
  });
}

function accessIn(line: string): Access | undefined {
  try {
    const { verb, group, resource, namespace } = JSON.parse(line) as Partial<Access>;
    const isWhole = [verb, group, resource].every((part) => typeof part === 'string');
    return isWhole
      ? ({ verb, group, resource, ...(namespace === undefined ? {} : { namespace }) } as Access)
      : undefined;
  } catch {
    return undefined;
  }
}
