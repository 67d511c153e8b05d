import { expect, it } from 'vitest';
import { describeError, exitCodeOf } from '../../src/cli/exit.ts';
import { InformerError } from '../../src/kit/error.ts';
import { failure, StatusError } from '../../src/model/status.ts';

it('says what a system error says once', () => {
  const cause = Object.assign(new Error("ENOENT: no such file or directory, stat '/nope'"), { code: 'ENOENT' });
  const error = new InformerError('config', 'stat /nope: no such file or directory', { cause, hint: 'give an existing file' });
  expect(describeError(error)).toBe('error: stat /nope: no such file or directory\nhint: give an existing file\n');
  expect(describeError(new InformerError('config', 'cannot read it', { cause }))).toBe(
    "error: cannot read it: ENOENT: no such file or directory, stat '/nope'\n",
  );
});

it('lets no text of a server or a hook move the cursor', () => {
  expect(describeError(new Error('bad \x1b[2J name\r'))).toBe('error: bad ^[[2J name\\r\n');
});

it('takes an unknown type for wrong usage, and a server that tells nothing of its types for a failure', () => {
  const refused = new StatusError(failure(401, 'Unauthorized', 'Unauthorized'));
  expect(exitCodeOf(new InformerError('discovery', 'the server has no such type'))).toBe(2);
  expect(exitCodeOf(new InformerError('discovery', 'cannot find out', { cause: refused }))).toBe(1);
});
