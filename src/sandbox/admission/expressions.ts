import { type Cel, loadCel } from '../../expr/cel/load-cel.ts';
import { messageOf } from '../../kit/error.ts';
import { StatusError } from '../../model/status.ts';
import { notImplemented } from '../status/statuses.ts';
import type { Webhook } from './hooks.ts';

type Program = ReturnType<Cel['compileCel']>;
type Variables = Readonly<Record<string, unknown>>;

/** The expressions of admission, each compiled once. CEL is loaded with the first one. */
export class Expressions {
  readonly #programs = new Map<string, Program | Error>();
  #cel: Cel | undefined;

  async load(): Promise<void> {
    this.#cel ??= await loadCel();
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
      throw new ExpressionFailure(source, reasonOf(error));
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

/** The failure of an expression, in the words of a real server. `reason` is the part about the cause. */
export class ExpressionFailure extends Error {
  readonly reason: string;

  constructor(source: string, reason: string) {
    super(`expression '${source}' resulted in error: ${reason}`);
    this.reason = reason;
  }
}

/** A variable of a policy that has no value. */
export class VariableFailure extends Error {}

/** The text behind a failure; throws the 501 of a variable that this CEL cannot evaluate. */
function reasonOf(error: unknown): string {
  const causes: unknown[] = [];
  for (let at = error; at instanceof Error; at = at.cause) causes.push(at);
  const refusal = causes.find((cause) => cause instanceof StatusError);
  if (refusal) throw refusal;
  return messageOf(causes.find((cause) => cause instanceof VariableFailure) ?? causes[1] ?? error);
}

/** The variables of match conditions and policies. Source: apiserver admission/plugin/cel. */
const VARIABLES = {
  object: 'dyn',
  oldObject: 'dyn',
  request: 'dyn',
  params: 'dyn',
  namespaceObject: 'dyn',
  variables: 'dyn',
} as const;

/** Whether all conditions of a webhook or a policy are met; an error if one has no value and none is false. */
export function conditionsMet(
  expressions: Expressions,
  { matchConditions = [] }: Pick<Webhook, 'matchConditions'>,
  variables: Readonly<Record<string, unknown>>,
): boolean | Error {
  const failures: string[] = [];
  for (const { expression } of matchConditions) {
    try {
      if (expressions.evaluate(expression, variables) === false) return false;
    } catch (error) {
      if (error instanceof StatusError) throw error;
      failures.push(messageOf(error));
    }
  }
  if (failures.length === 0) return true;
  return new Error(failures.length === 1 ? failures[0] : `[${failures.join(', ')}]`);
}

/** The variables of an expression about a request. */
export function admissionVariables(request: Record<string, unknown>): Record<string, unknown> {
  const { uid: _uid, object, oldObject, ...rest } = request;
  return { object, oldObject, request: rest };
}
