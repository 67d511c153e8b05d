import { expect, it } from 'vitest';

it('every test but those of a browser runs where Node refuses to make code of text', () => {
  // biome-ignore lint/complexity/useLiteralKeys: so that it is no call of a known name
  const Maker = globalThis['Function'];
  expect(() => new Maker('return 1')).toThrow(EvalError);
});
