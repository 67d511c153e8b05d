import type { ASTNode } from '@marcbachmann/cel-js';

/** The macros that the library does not have. `ast` is an expression that is not evaluated before the call. */
export const MACRO_SIGNATURES: readonly string[] = [
  ...['list', 'map'].flatMap((of) => [
    ...['all', 'exists', 'exists_one', 'existsOne'].map((name) => `${of}.${name}(ast, ast, ast): bool`),
    ...['transformList', 'transformMap', 'transformMapEntry'].flatMap((name) => [
      `${of}.${name}(ast, ast, ast): dyn`,
      `${of}.${name}(ast, ast, ast, ast): dyn`,
    ]),
  ]),
  'list.sortBy(ast, ast): list<dyn>',
  'optional.optMap(ast, ast): optional<dyn>',
  'optional.optFlatMap(ast, ast): optional<dyn>',
];

interface Call {
  readonly ast: ASTNode;
  readonly receiver: ASTNode;
  readonly args: readonly ASTNode[];
}

interface Scope {
  forkWithVariable(name: string, type: unknown): Scope;
}

interface Checker {
  check(node: ASTNode, scope: Scope): unknown;
  getType(name: string): unknown;
  createError(code: string, message: string, node: ASTNode): Error;
}

const ANSWERS = ['all', 'exists', 'exists_one', 'existsOne'];
const OPTIONAL = ['optMap', 'optFlatMap'];

/** Checks a call of one of {@link MACRO_SIGNATURES}: the variables that it binds are of any type in its other arguments. */
export function macroCheck({ ast, receiver, args }: Call): object {
  const name = String((ast.args as readonly unknown[])[0]);
  const variables = args.length > 2 ? 2 : 1;
  const typeCheck = (checker: Checker, _: unknown, scope: Scope) => {
    let inner = scope;
    for (const variable of args.slice(0, variables)) {
      if (variable.op !== 'id') throw checker.createError('invalid_macro_argument', `${name}() needs a name`, variable);
      inner = inner.forkWithVariable(variable.args, checker.getType('dyn'));
    }
    checker.check(receiver, scope);
    for (const body of args.slice(variables)) checker.check(body, inner);
    return checker.getType(ANSWERS.includes(name) ? 'bool' : OPTIONAL.includes(name) ? 'optional' : 'dyn');
  };
  return { ast, typeCheck, evaluate: () => undefined };
}
