/** A self-signed certificate with its key, as PEM. Clients use the certificate as the authority that they trust. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const DAY_MS = 86_400_000;

/**
 * Creates a self-signed certificate for loopback and `host`, a name or an address: for the sandbox, and for tests of
 * servers such as webhooks. It is valid from a day before `now` (ms since 1970) for ten years. Takes about 25 ms, and
 * 100 ms more the first time, to load the library.
 */
export async function makeCertificate(host: string, now: number): Promise<Certificate> {
  const { generate } = await import('selfsigned');
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'kubectl-informer-sandbox' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - DAY_MS),
    notAfterDate: new Date(now + 3650 * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: [...LOOPBACK, ...namesOf(host)] },
    ],
  });
  return { key, cert };
}

const LOOPBACK: { type: 2 | 7; value?: string; ip?: string }[] = [
  { type: 2, value: 'localhost' },
  { type: 7, ip: '127.0.0.1' },
  { type: 7, ip: '::1' },
];

function namesOf(host: string): typeof LOOPBACK {
  if (host === 'localhost' || host === '127.0.0.1' || host === '::1') return [];
  return /^[\d.]+$|:/.test(host) ? [{ type: 7, ip: host }] : [{ type: 2, value: host }];
}
