import type { CommandSession } from './session.ts';

/**
 * An expression that fails on an object ends the stream with its error: going on would be to leave events out in
 * silence.
 */
export function orEnd<T>(session: CommandSession, print: () => T): T | undefined {
  try {
    return print();
  } catch (error) {
    session.end(error);
    return undefined;
  }
}
