import { describe, expect, it } from 'vitest';
import { causesOf, InformerError, isInformerError, messageOf } from '../../src/kit/error.ts';

describe('InformerError', () => {
  it('has a code, a hint and a cause', () => {
    const cause = new Error('below');
    const error = new InformerError('config', 'message', { cause, hint: 'next step' });
    expect([error.name, error.code, error.message, error.hint, error.cause]).toEqual([
      'InformerError',
      'config',
      'message',
      'next step',
      cause,
    ]);
  });

  it('has no property `cause` without one', () => {
    expect('cause' in new InformerError('config', 'message')).toBe(false);
  });

  it('is recognized by its class and code', () => {
    const error = new InformerError('config', 'message');
    expect([isInformerError(error), isInformerError(error, 'config'), isInformerError(error, 'api')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(isInformerError({ code: 'config', message: 'message' })).toBe(false);
  });
});

it.each<[unknown, string]>([
  [new Error('why'), 'why'],
  ['text', 'text'],
  [undefined, 'undefined'],
  [{ toString: () => 'odd' }, 'odd'],
])('messageOf %o is %j', (value, text) => {
  expect(messageOf(value)).toBe(text);
});

describe('causesOf', () => {
  it('gives the error, its causes, and the errors of an AggregateError', () => {
    const [a, b, root] = [new Error('a'), new Error('b', { cause: 'text' }), new Error('root')];
    const outer = new Error('outer', { cause: new AggregateError([a, b], 'all', { cause: root }) });
    expect([...causesOf(outer)].map(messageOf)).toEqual(['outer', 'all', 'a', 'b', 'text', 'root']);
  });

  it('ends for a chain that is a ring', () => {
    const error = new Error('a') as Error & { cause?: unknown };
    error.cause = new Error('b', { cause: error });
    expect([...causesOf(error)].map(messageOf)).toEqual(['a', 'b']);
  });

  it.each([undefined, null])('gives nothing for %s', (value) => {
    expect([...causesOf(value)]).toEqual([]);
  });
});
