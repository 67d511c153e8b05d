import { expect, it } from 'vitest';
import { compileCel } from '../../../src/expr/cel/cel.ts';
import { loadCel } from '../../../src/expr/cel/load-cel.ts';

it('the loader returns the compiler', async () => {
  const { compileCel: loaded } = await loadCel();
  expect(loaded).toBe(compileCel);
});
