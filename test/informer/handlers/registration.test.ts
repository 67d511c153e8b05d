import { expect, it } from 'vitest';
import { checkHandler } from '../../../src/informer/handlers/registration.ts';

it.each(['added', 'updated', 'deleted', 'synced', 'continuity'])(
  'a handler with the function %s alone is one',
  (name) => {
    expect(checkHandler({ [name]: () => {} })).toBeUndefined();
  },
);

it('a handler without any property does nothing, and one with a further property is fine', () => {
  expect(checkHandler({})).toBeUndefined();
  expect(checkHandler({ added() {}, name: 'mine' } as never)).toBeUndefined();
});

it.each([[null], [undefined], ['added'], [() => {}], [{ add() {} }], [{ added: true }]])(
  '%o is no handler',
  (handler) => {
    expect(() => checkHandler(handler as never)).toThrow(
      'a handler is an object with at least one of the functions added,',
    );
  },
);
