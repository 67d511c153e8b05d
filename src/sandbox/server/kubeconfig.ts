import { dump } from 'js-yaml';
import { InformerError } from '../../kit/error.ts';
import { replaceFile, textOfFile } from '../../kit/whole-file.ts';

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

/** Writes such a kubeconfig to a file of its owner alone. Throws `argument` for a file that is not one: it stays. */
export async function writeKubeconfig(file: string, content: string): Promise<void> {
  const before = (await textOfFile(file)) ?? '';
  if (before.trim() !== '' && !/^current-context: sandbox$/m.test(before)) {
    throw new InformerError('argument', `${file} exists and is not the kubeconfig of a sandbox`, {
      hint: 'name another file, or remove it first',
    });
  }
  await replaceFile(file, content, 0o600);
}
