import { describe, expect, it } from 'vitest';
import { createConfig } from '../../src/client/config/cluster-config.ts';
import { serveIdentity } from '../../src/serve/folder-key.ts';

describe('the identity of a serve', () => {
  it('is that of its config: server and user, in 16 digits that show no token', () => {
    const identity = serveIdentity(createConfig({ server: 'https://10.0.0.1:6443', token: 'hunter2' }));
    expect(identity).toMatchObject({ server: 'https://10.0.0.1:6443', key: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(serveIdentity(createConfig({ server: 'https://10.0.0.1:6443', token: 'other' })).key).not.toBe(identity.key);
  });

  it('is refused if a config does not know as which user it connects', () => {
    const { identity: _, ...config } = createConfig({ server: 'https://10.0.0.1:6443' });
    expect(() => serveIdentity(config)).toThrow('it is not known as which user');
  });
});
