import { describe, expect, it } from 'vitest';
import type { FaultMatch } from '../../src/sandbox/faults/fault.ts';
import { Cli } from '../support/cli.ts';
import { startFixture } from '../support/fixture.ts';

describe('a server that asks to wait an hour: one line says who waits, why, and that it is tried again in a minute', () => {
  it.each<[string, FaultMatch, RegExp]>([
    ['discovery', { path: /^\/apis/ }, /^the server asks to wait 60m \(429, \/apis\); trying again in 60s\n$/],
    [
      'the first list',
      { path: '/pods', watch: false },
      /^the server asks to wait 60m \(429, \/api\/v1\/namespaces\/shop\/pods\); trying again in 60s\n$/,
    ],
    [
      'the watch',
      { path: '/pods', watch: true },
      /^pods in shop: the server asks to wait 60m \(429, too many requests, please try again later\); trying again in 60s\n$/,
    ],
  ])('%s', async (_, match, words) => {
    await using fixture = await startFixture();
    const fault = { kind: 'status', code: 429, retryAfterSeconds: 3600 } as const;
    fixture.sandbox.faults.add({ fault, match, times: Number.POSITIVE_INFINITY });
    await using cli = new Cli(['watch', 'pods', '-n', 'shop', '-o', 'name'], { env: fixture.env });
    await cli.until((c) => c.stderr.includes('\n'), 'the line');
    expect(cli.stderr).toMatch(words);
  });
});
