import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ownKubeconfig } from '../../support/own-kubeconfig.ts';

const { at, authorization, configOf } = ownKubeconfig();

describe('a cluster', () => {
  it('without a user still has its CA and TLS name', async () => {
    const config = await configOf(undefined, {
      'certificate-authority-data': Buffer.from('the ca').toString('base64'),
      'tls-server-name': 'x.test',
    });
    const { headers, tls } = await config.credentials();
    expect(headers).toEqual({});
    expect({ ...tls, ca: String(tls.ca) }).toEqual({ ca: 'the ca', servername: 'x.test' });
  });

  it('may be plain http on this machine', async () => {
    const config = await configOf({ token: 't' }, { server: 'http://localhost:8001' });
    expect(await authorization(config)).toBe('Bearer t');
  });

  it('may be plain http elsewhere; as in kubectl, no secret is sent there and no plugin is run', async () => {
    const exec = { command: 'must-not-run', apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never' };
    for (const user of [
      { token: 't' },
      { tokenFile: 'gone' },
      { exec },
      { username: 'me', password: 'pw' },
      undefined,
    ]) {
      const config = await configOf(user && { ...user, as: 'jane' }, { server: 'http://plain.test:8001' });
      expect((await config.credentials()).headers).toEqual(user ? { 'impersonate-user': 'jane' } : {});
    }
  });

  it('whose CA file is missing is an error that names the file', async () => {
    const config = await configOf({}, { 'certificate-authority': 'gone' });
    await expect(config.credentials()).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining(at('gone')),
    });
  });

  it('takes inline data before files, as kubectl does', async () => {
    await writeFile(at('file'), 'from file');
    const data = Buffer.from('from data').toString('base64');
    const config = await configOf(
      { 'client-certificate': 'file', 'client-certificate-data': data, 'client-key': 'file', 'client-key-data': data },
      { 'certificate-authority': 'file', 'certificate-authority-data': data },
    );
    const { ca, cert, key } = (await config.credentials()).tls;
    expect([ca, cert, key].map(String)).toEqual(['from data', 'from data', 'from data']);
  });
});
