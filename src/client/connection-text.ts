import { causesOf, InformerError, isInformerError, messageOf } from '../kit/error.ts';
import { isConnectionRefused } from '../model/connection-error.ts';

/** Whether a host name means this machine. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** The error for a request that got no answer: kubectl's wording, what broke as its cause, and the next step. */
export function noAnswer(cause: unknown, origin: string, { closed }: { closed: boolean }): InformerError {
  if (closed) return new InformerError('closed', 'the client was closed', { cause });
  if (isInformerError(cause)) return cause;
  const { host, hostname } = new URL(origin);
  if (isConnectionRefused(cause)) {
    return new InformerError('transport', `The connection to the server ${host} was refused - did you specify the right host or port?`, {
      cause,
      hint: 'is the cluster running? --context and --server choose another one, --sandbox works without a cluster',
    });
  }
  const [text, hint] = explain(cause, hostname);
  return new InformerError('transport', `Unable to connect to the server: ${text}`, { cause, hint });
}

/** The error for an answer that broke off. */
export function brokenConnection(cause: unknown, origin: string): InformerError {
  if (isInformerError(cause)) return cause;
  return new InformerError('transport', `the connection to ${new URL(origin).host} broke: ${textOf(cause)}`, { cause });
}

const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);

function explain(cause: unknown, hostname: string): [text: string, hint?: string] {
  const code = (cause as { code?: unknown }).code;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return [`lookup ${hostname}: no such host`, 'check the server name, VPN and DNS'];
  if (typeof code === 'string' && UNTRUSTED.has(code)) {
    return [`tls: failed to verify certificate: ${textOf(cause)}`, 'give the CA by --certificate-authority or in the kubeconfig'];
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return [`tls: failed to verify certificate: ${textOf(cause)}`, 'give the name in the certificate by --tls-server-name'];
  }
  if (code === 'CERT_HAS_EXPIRED')
    return [`tls: failed to verify certificate: ${textOf(cause)}`, "check the server's certificate and the clock"];
  return [textOf(cause)];
}

/** The first text in the chain: an AggregateError of several failed addresses has none of its own. */
function textOf(error: unknown): string {
  for (const cause of causesOf(error)) if (messageOf(cause) !== '') return messageOf(cause);
  return 'no reason given';
}
