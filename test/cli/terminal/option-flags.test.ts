import { expect, it } from 'vitest';
import { optionsAsFlags } from '../../../src/cli/terminal/option-flags.ts';

it.each([
  [
    'give `server` URL, or check `clientCertificate` and `clientKey`',
    'give --server URL, or check --client-certificate and --client-key',
  ],
  ['try without a cluster: `kubectl-informer/sandbox`', 'try without a cluster: --sandbox'],
  [
    '`kubectl auth whoami` shows who you are, and `serverName` is no option',
    '`kubectl auth whoami` shows who you are, and `serverName` is no option',
  ],
])('%s', (hint, shown) => expect(optionsAsFlags(hint)).toBe(shown));
