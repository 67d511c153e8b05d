import { rm, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ownKubeconfig } from '../../support/own-kubeconfig.ts';

const place = ownKubeconfig();
const { at, authorization, configOf } = place;

describe('a token file', () => {
  it('is trimmed, read again after a minute, and at once when the server refuses its token', async () => {
    await writeFile(at('token'), 'one\n');
    const config = await configOf({ tokenFile: 'token' });
    expect(await authorization(config)).toBe('Bearer one');
    await writeFile(at('token'), 'two\n');
    place.clock.tick(59_999);
    expect(await authorization(config)).toBe('Bearer one');
    place.clock.tick(1);
    expect(await authorization(config)).toBe('Bearer two');
    const rejected = await config.credentials();
    await writeFile(at('token'), 'three');
    expect((await config.credentials({ rejected })).headers.authorization).toBe('Bearer three');
    expect((await config.credentials({ rejected })).headers.authorization).toBe('Bearer three');
  });

  it('is preferred to a token beside it, once it can be read', async () => {
    const config = await configOf({ token: 'inline', tokenFile: 'token' });
    expect(await authorization(config)).toBe('Bearer inline');
    await writeFile(at('token'), 'from file');
    place.clock.tick(60_000);
    expect(await authorization(config)).toBe('Bearer from file');
  });

  it('that cannot be read any more counts with its last content', async () => {
    await writeFile(at('token'), 'one');
    const config = await configOf({ tokenFile: 'token' });
    await authorization(config);
    await rm(at('token'));
    place.clock.tick(60_000);
    expect(await authorization(config)).toBe('Bearer one');
  });

  it('that is missing or empty is named in the error', async () => {
    await expect((await configOf({ tokenFile: 'gone' })).credentials()).rejects.toThrow(at('gone'));
    await writeFile(at('token'), '\n');
    await expect((await configOf({ tokenFile: 'token' })).credentials()).rejects.toThrow(
      `token file ${at('token')} is empty`,
    );
  });
});

it('a 401 reads the kubeconfig again: the user may have logged in meanwhile', async () => {
  const config = await configOf({ token: 'old' });
  const rejected = await config.credentials();
  await configOf({ token: 'new' });
  expect((await config.credentials({ rejected })).headers.authorization).toBe('Bearer new');
  await writeFile(at('config'), 'a: [');
  expect((await config.credentials({ rejected: await config.credentials() })).headers.authorization).toBe('Bearer new');
});
