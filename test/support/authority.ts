import { generate } from 'selfsigned';

/** Who vouches for servers and clients. */
export interface Authority {
  ca: string;
  server: { cert: string; key: string };
  client(name: string): Promise<{ cert: string; key: string }>;
}

/**
 * A certificate authority, a server certificate for the name `api.test` and for 127.0.0.1, and client certificates as
 * needed; in memory only.
 */
export async function authority(): Promise<Authority> {
  const ca = await generate([{ name: 'commonName', value: 'test-ca' }], {
    keySize: 2048,
    extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
  });
  const signed = async (name: string) => {
    const pem = await generate([{ name: 'commonName', value: name }], {
      keySize: 2048,
      ca: { cert: ca.cert, key: ca.private },
      extensions: [
        {
          name: 'subjectAltName',
          altNames: [
            { type: 2, value: 'api.test' },
            { type: 7, ip: '127.0.0.1' },
          ],
        },
      ],
    });
    return { cert: pem.cert, key: pem.private };
  };
  return { ca: ca.cert, server: await signed('api.test'), client: signed };
}
