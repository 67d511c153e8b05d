import { expect, test } from 'vitest';
import { compileJq } from '../../../src/output/jq/jq-expression.ts';
import { loadJqLibrary } from '../../../src/output/jq/jq-library.ts';
import { event, pod } from '../fixtures.ts';
import { printedBy } from './printed.ts';

test.each(['halt', 'halt_error(0)'])(
  'an expression that ends jq for one object by %s takes none of the others with it',
  async (halt) => {
    const jq = await compileJq(`if .key == "shop/b" then ${halt} else .key end`, await loadJqLibrary());
    const batch = ['a', 'b', 'c'].map((name) => event('ADDED', pod(name)));
    expect(await printedBy(jq, batch)).toBe('"shop/a"\n"shop/c"\n');
  },
);
