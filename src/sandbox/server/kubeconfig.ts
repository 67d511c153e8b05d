import { dump } from 'js-yaml';

/** The way to a server of the sandbox. */
export interface ServerAccess {
  readonly url: string;
  /** The certificate that clients must trust, as PEM; '' without TLS. */
  readonly caPem: string;
  readonly token: string;
  readonly namespace: string;
}

/** A kubeconfig as YAML, whose one context is `sandbox`. */
export function sandboxKubeconfig({ url, caPem, token, namespace }: ServerAccess): string {
  const authority = caPem === '' ? {} : { 'certificate-authority-data': Buffer.from(caPem).toString('base64') };
  return dump({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'sandbox', cluster: { server: url, ...authority } }],
    users: [{ name: 'sandbox', user: { token } }],
    contexts: [{ name: 'sandbox', context: { cluster: 'sandbox', user: 'sandbox', namespace } }],
    'current-context': 'sandbox',
  });
}
