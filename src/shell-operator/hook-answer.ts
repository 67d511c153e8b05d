import { InformerError, messageOf } from '../kit/error.ts';
import { parseJson } from '../kit/exact-json.ts';

/** The JSON that a hook has written, and how to refuse it. */
export interface HookAnswer {
  readonly given: unknown;
  /** Throws `hook` with why it is no answer. */
  refuse(why: string): never;
}

/** Reads what a hook has written to the file that a variable names. Throws `hook` for nothing, or no JSON. */
export function hookAnswer(written: string, hook: string, variable: string): HookAnswer {
  const refuse = (why: string): never => {
    throw new InformerError('hook', `the hook ${hook} ${why} to ${variable}`);
  };
  if (written.trim() === '') refuse('wrote nothing');
  try {
    return { given: parseJson(written), refuse };
  } catch (error) {
    return refuse(`wrote no JSON (${messageOf(error)})`);
  }
}
