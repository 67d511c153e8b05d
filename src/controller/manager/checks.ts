import { InformerError, messageOf } from '../../kit/error.ts';

/** A condition of the health or the readiness of a program. `createOpsServer` takes it. */
export interface ManagerCheck {
  readonly name: string;
  /** Returns the reason why it is not met, or undefined if it is met. If it throws, the error is the reason. */
  reason(): string | undefined;
}

/** The result of one {@link ManagerCheck}. `reason` is undefined if the condition is met. */
export interface ManagerCheckResult {
  readonly name: string;
  readonly reason: string | undefined;
}

/** Throws `argument` for a name that is empty or known, and for a reason that is not a function. */
export function checkOf(
  where: string,
  name: string,
  reason: () => string | undefined,
  known: readonly ManagerCheck[],
): ManagerCheck {
  if (typeof name !== 'string' || name === '') throw new InformerError('argument', `${where} needs a name`);
  if (typeof reason !== 'function')
    throw new InformerError('argument', `${where}: the check ${name} must be a function`, {
      hint: 'it returns the reason why it is not met, or undefined',
    });
  if (known.some((check) => check.name === name))
    throw new InformerError('argument', `${where}: there is a check ${name} already`);
  return { name, reason: () => answerOf(name, reason()) };
}

/** A promise is not an answer: it would count as a failure, and say nothing. */
function answerOf(name: string, answer: unknown): string | undefined {
  if (answer === undefined || typeof answer === 'string') return answer;
  throw new InformerError('argument', `the check ${name} must return a text or undefined, not ${typeof answer}`, {
    hint: 'do asynchronous work elsewhere, and let the check report its last result',
  });
}

export function checkResults(checks: readonly ManagerCheck[]): ManagerCheckResult[] {
  return checks.map((check) => {
    try {
      return { name: check.name, reason: check.reason() };
    } catch (error) {
      return { name: check.name, reason: messageOf(error) };
    }
  });
}
