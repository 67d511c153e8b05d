import { generate } from 'selfsigned';

/** A certificate of a server, and its key. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** An authority, and servers' certificates of it for 127.0.0.1. */
export interface Authority {
  readonly ca: string;
  issue(): Promise<Identity>;
}

export async function createAuthority(): Promise<Authority> {
  const ca = await generate([{ name: 'commonName', value: 'soak-ca' }], {
    keySize: 2048,
    extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
  });
  return {
    ca: ca.cert,
    async issue() {
      const altNames = [{ type: 7, ip: '127.0.0.1' }] as const;
      const { cert, private: key } = await generate([{ name: 'commonName', value: 'kube-apiserver' }], {
        keySize: 2048,
        ca: { cert: ca.cert, key: ca.private },
        extensions: [{ name: 'subjectAltName', altNames: [...altNames] }],
      });
      return { cert, key };
    },
  };
}
