import { builtin } from '../../kit/builtin.ts';
import { InformerError, messageOf } from '../../kit/error.ts';
import type { UserEntry } from './kubeconfig-entries.ts';
import type { NodeTls } from './node-tls.ts';

/**
 * Refuses a user whose login methods contradict each other or are incomplete. Throws `config` with kubectl's message.
 * Source: client-go tools/clientcmd/validation.go validateAuthInfo.
 */
export function checkLogin(user: UserEntry, name: string): void {
  const methods = [...(user.token ? ['token'] : []), ...(user.username || user.password ? ['basicAuth'] : [])];
  if (methods.length > 1) {
    const text = `more than one authentication method found for ${name}; found [${methods.join(' ')}], only one is allowed`;
    throw new InformerError('config', text, {
      hint: 'keep either the token or the name and password of that user in the kubeconfig',
    });
  }
  const hasCertificate = Boolean(user['client-certificate'] || user['client-certificate-data']);
  if (!hasCertificate || user['client-key'] || user['client-key-data']) return;
  const text = `client-key-data or client-key must be specified for ${name} to use the clientCert authentication method.`;
  throw new InformerError('config', text, {
    hint: 'add the key of the certificate to that user, or give it by `clientKey`',
  });
}

/**
 * Refuses a CA without a readable certificate, an unreadable client certificate or key, and a key that does not
 * belong to the certificate. Throws `config` with kubectl's message.
 * Source: client-go transport.go rootCertPool, crypto/tls X509KeyPair.
 */
export function checkTls({ ca, cert, key }: NodeTls): void {
  if (ca !== undefined) checkAuthority(String(ca));
  const fault = cert !== undefined && key !== undefined ? faultOfPair(cert, key) : undefined;
  if (fault === undefined) return;
  throw new InformerError('config', `tls: ${fault}`, {
    hint: 'check the client certificate and the client key of the user in the kubeconfig, or `clientCertificate` and `clientKey`',
  });
}

function checkAuthority(pem: string): void {
  const blocks = pem.match(CERTIFICATES) ?? [];
  if (blocks.some(isCertificate)) return;
  const why = blocks.length > 0 ? 'failed to parse certificate' : 'unable to parse bytes as PEM block';
  throw new InformerError('config', `unable to load root certificates: ${why}`, {
    hint: 'certificate-authority is a PEM file, certificate-authority-data is such a file in base64: check the cluster in the kubeconfig, or `certificateAuthority`',
  });
}

const CERTIFICATES = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[\s\S]*?-----END (?:TRUSTED )?CERTIFICATE-----/g;

function faultOfPair(certificate: string | Buffer, key: string | Buffer): string | undefined {
  const { X509Certificate, createPrivateKey } = builtin.crypto();
  if (!certificate.includes('-----BEGIN ')) return 'failed to find any PEM data in certificate input';
  if (!key.includes('-----BEGIN ')) return 'failed to find any PEM data in key input';
  try {
    const parsed = createPrivateKey(key);
    return new X509Certificate(certificate).checkPrivateKey(parsed)
      ? undefined
      : 'private key does not match public key';
  } catch (error) {
    return `failed to parse the certificate or its private key: ${messageOf(error)}`;
  }
}

function isCertificate(pem: string): boolean {
  try {
    new (builtin.crypto().X509Certificate)(pem);
    return true;
  } catch {
    return false;
  }
}
