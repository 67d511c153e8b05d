import { messageOf } from '../../kit/error.ts';
import { notImplemented } from '../status/statuses.ts';

type Cel = typeof import('../../expr/cel/cel.ts');
type Program = ReturnType<Cel['compileCel']>;
type Variables = Readonly<Record<string, unknown>>;

/** The expressions of admission, each compiled once. CEL is loaded with the first one. */
export class Expressions {
  readonly #programs = new Map<string, Program | Error>();
  #cel: Cel | undefined;

  async load(): Promise<void> {
    this.#cel ??= await import('../../expr/cel/cel.ts');
  }

  /**
   * The value of an expression. Throws an error with the words of a real server. What this CEL does not have, and a real
   * server has, throws 501.
   */
  evaluate(source: string, variables: Variables): unknown {
    const program = this.#program(source);
    if (program instanceof Error) throw new Error(`compilation failed: ${program.message.replace('CEL: ', '')}`);
    try {
      return program.evaluate(variables);
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw new Error(`expression '${source}' resulted in error: ${messageOf(cause)}`);
    }
  }

  #program(source: string): Program | Error {
    const known = this.#programs.get(source);
    if (known) return known;
    const made = this.#compiled(source);
    if (this.#programs.size > MOST) this.#programs.clear();
    this.#programs.set(source, made);
    return made;
  }

  #compiled(source: string): Program | Error {
    try {
      return (this.#cel as Cel).compileCel(source, { flag: 'CEL', variables: VARIABLES, strict: true });
    } catch (error) {
      const { hint = '' } = error as { hint?: string };
      if (hint.startsWith('the API server has it') || /\bauthorizer\b/.test(source))
        notImplemented(`the expression ${JSON.stringify(source)}`);
      return error as Error;
    }
  }
}

const MOST = 5_000;

/** The variables of match conditions and policies. Source: apiserver admission/plugin/cel. */
const VARIABLES = {
  object: 'dyn',
  oldObject: 'dyn',
  request: 'dyn',
  params: 'dyn',
  namespaceObject: 'dyn',
  variables: 'dyn',
} as const;
