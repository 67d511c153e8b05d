import { expect, it } from 'vitest';
import { describeError } from '../../../src/cli/terminal/error-text.ts';
import { noAnswer } from '../../../src/client/http/connection-text.ts';
import { InformerError } from '../../../src/kit/error.ts';
import { failure, StatusError } from '../../../src/model/status.ts';

it('says what a system error says once', () => {
  const cause = Object.assign(new Error("ENOENT: no such file or directory, stat '/nope'"), { code: 'ENOENT' });
  const error = new InformerError('config', 'stat /nope: no such file or directory', {
    cause,
    hint: 'give an existing file',
  });
  expect(describeError(error)).toBe('error: stat /nope: no such file or directory\nhint: give an existing file\n');
  expect(describeError(new InformerError('config', 'cannot read it', { cause }))).toBe(
    "error: cannot read it: ENOENT: no such file or directory, stat '/nope'\n",
  );
});

it.each([
  [
    'ECONNREFUSED',
    'connect ECONNREFUSED 10.0.0.1:6443',
    'The connection to the server api.test:6443 was refused - did you specify the right host or port?',
  ],
  [
    'ENOTFOUND',
    'getaddrinfo ENOTFOUND api.test',
    'Unable to connect to the server: dial tcp: lookup api.test: no such host (https://api.test:6443)',
  ],
  [
    'SELF_SIGNED_CERT_IN_CHAIN',
    'self-signed certificate in certificate chain',
    'Unable to connect to the server: tls: failed to verify certificate: x509: certificate signed by unknown authority (https://api.test:6443)',
  ],
  ['EOTHER', 'something else', 'Unable to connect to the server: something else (https://api.test:6443)'],
])("has kubectl's words for %s without those of Node behind them", (code, text, words) => {
  const cause = Object.assign(new Error(text), { code });
  const error = noAnswer(cause, { origin: 'https://api.test:6443', proxyUrl: undefined, closed: false });
  const [first] = describeError(new InformerError('list', 'failed to list pods', { cause: error })).split('\n');
  expect(first).toBe(`error: failed to list pods: ${words}`);
});

it('lets no text of a server or a hook move the cursor', () => {
  expect(describeError(new Error('bad \x1b[2J name\r'))).toBe('error: bad ^[[2J name\\r\n');
});

it('lets no text of a server begin a line that looks like one of the program', () => {
  const error = new StatusError(failure(500, 'InternalError', 'no\nhint: run curl\r\nerror: x\u2028hint: y'), {
    hint: 'a\nerror: b',
  });
  expect(describeError(error)).toBe(
    'error: no\n  hint: run curl\n  error: x\\u2028hint: y (InternalError)\nhint: a\n  error: b\n',
  );
});

it('words an error about a Secret without what it quotes', () => {
  const status = failure(422, 'Invalid', 'Secret "db" is invalid: patch: Invalid value: "hunter2"', {
    kind: 'Secret',
    name: 'db',
  });
  expect(describeError(new StatusError(status))).toBe('error: secrets "db" is invalid (Invalid)\n');
});
