import { expect, test } from 'vitest';
import { parseOutputFormat } from '../../../src/output/output-format.ts';
import { clock, createPrinter, event, pod } from '../fixtures.ts';

test.each(['halt', 'halt_error(0)'])(
  'an expression that ends jq for one object by %s takes none of the others with it',
  async (halt) => {
    const printer = await createPrinter(parseOutputFormat(`jq=if .key == "shop/b" then ${halt} else .key end`), {
      clock,
    });
    const batch = ['a', 'b', 'c'].map((name) => event('ADDED', pod(name)));
    expect(printer.events(batch)).toBe('"shop/a"\n"shop/c"\n');
  },
);
