import { expect, it } from 'vitest';
import { exitCodeOf } from '../../../src/cli/terminal/exit-codes.ts';
import { InformerError } from '../../../src/kit/error.ts';
import { failure, StatusError } from '../../../src/model/status.ts';

it('takes an unknown type for wrong usage, and a server that does not list its types for a failure', () => {
  const refused = new StatusError(failure(401, 'Unauthorized', 'Unauthorized'));
  expect(exitCodeOf(new InformerError('discovery', 'the server has no such type'))).toBe(2);
  expect(exitCodeOf(new InformerError('discovery', 'cannot find out', { cause: refused }))).toBe(1);
});
