import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { InformerError, messageOf } from '../../kit/error.ts';
import type { Access } from './request-access.ts';

/**
 * A file with what the requests of runs needed, each once: one JSON object a line. It holds no body and no credential, and
 * the name of an object only where that is asked for. Throws `argument` if the file cannot be written.
 */
export class AccessRecord {
  readonly #file: string;
  readonly #known: Set<string>;
  readonly #keepsNames: boolean;
  #onFailure: ((error: Error) => void) | undefined;

  /**
   * `onFailure` is called at most once, when a line cannot be written later. Names of objects are written with
   * `keepsNames` only.
   */
  constructor(file: string, onFailure: (error: Error) => void, { keepsNames = false } = {}) {
    this.#file = file;
    this.#keepsNames = keepsNames;
    this.#onFailure = onFailure;
    this.#known = new Set(existsSync(file) ? readAccess(file).map(lineOf) : []);
    try {
      appendFileSync(file, '', { mode: 0o600 });
    } catch (cause) {
      throw new InformerError('argument', `cannot write the observed requests to ${file}: ${messageOf(cause)}`, {
        cause,
      });
    }
  }

  add({ name, ...access }: Access): void {
    const line = lineOf(this.#keepsNames && name !== undefined ? { ...access, name } : access);
    if (this.#known.has(line)) return;
    this.#known.add(line);
    try {
      appendFileSync(this.#file, `${line}\n`);
    } catch (cause) {
      this.#onFailure?.(
        new InformerError('argument', `cannot write the observed requests to ${this.#file}: ${messageOf(cause)}`, {
          cause,
        }),
      );
      this.#onFailure = undefined;
    }
  }
}

const lineOf = ({ verb, group, resource, namespace, name }: Access) =>
  JSON.stringify({
    verb,
    group,
    resource,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  });

/** Reads what an `AccessRecord` wrote. Throws `argument` for a file that is something else. */
export function readAccess(file: string): Access[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new InformerError('argument', `cannot read ${file}: ${messageOf(cause)}`, {
      cause,
      hint: 'the option observe of reconcile or of startTestCluster writes it',
    });
  }
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    const access = accessIn(line);
    if (access) return [access];
    throw new InformerError('argument', `line ${i + 1} of ${file} is not an observed request`, {
      hint: 'the option observe of reconcile or of startTestCluster writes the file',
    });
  });
}

function accessIn(line: string): Access | undefined {
  try {
    const { verb, group, resource, namespace, name } = JSON.parse(line) as Partial<Access>;
    const isWhole = [verb, group, resource].every((part) => typeof part === 'string');
    return isWhole
      ? ({
          verb,
          group,
          resource,
          ...(namespace === undefined ? {} : { namespace }),
          ...(name === undefined ? {} : { name }),
        } as Access)
      : undefined;
  } catch {
    return undefined;
  }
}
