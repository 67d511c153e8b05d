import { causesOf, InformerError, isInformerError, messageOf } from '../../kit/error.ts';
import { withoutLogin } from '../../kit/secret-free-text.ts';
import { isConnectionRefused, isConnectionReset } from '../../model/connection-error.ts';

/** Whether a host name is `localhost` or a loopback address. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** The server and the proxy of a request that got no response. */
export interface Destination {
  /** `https://host:port` */
  origin: string;
  proxyUrl: string | undefined;
  /** Whether this client has closed its connections. */
  closed: boolean;
}

/** The error for a request that got no response: kubectl's message with the server, the cause, and a hint. */
export function noAnswer(cause: unknown, { origin, proxyUrl, closed }: Destination): InformerError {
  if (closed) return new InformerError('closed', 'the client was closed', { cause });
  if (isInformerError(cause)) return cause;
  const error = inKubectlsWords(cause, origin, proxyUrl);
  worded.add(error);
  return error;
}

/** Whether the message says all that the cause of the error says: it is an error of {@link noAnswer}. */
export const saysItsCause = (error: unknown): boolean => error instanceof InformerError && worded.has(error);

const worded = new WeakSet<InformerError>();

function inKubectlsWords(cause: unknown, origin: string, proxyUrl: string | undefined): InformerError {
  const { host } = new URL(origin);
  const byProxy =
    proxyUrl === undefined
      ? undefined
      : `requests go through the proxy ${withoutLogin(proxyUrl)}: is it right, and up?`;
  if (isConnectionRefused(cause)) {
    return new InformerError(
      'transport',
      `The connection to the server ${host} was refused - did you specify the right host or port?`,
      {
        cause,
        hint:
          byProxy ??
          'is the cluster running? `context` and `server` choose another one, `kubectl-informer/sandbox` works without a cluster',
      },
    );
  }
  const { text, hint } = explain(cause, new URL(origin));
  return new InformerError('transport', `Unable to connect to the server: ${text} (${origin})`, {
    cause,
    hint: hint ?? byProxy,
  });
}

/** The error for a response that broke in the middle. */
export function brokenConnection(cause: unknown, origin: string): InformerError {
  if (isInformerError(cause)) return cause;
  return new InformerError('transport', `the connection to ${new URL(origin).host} broke: ${textOf(cause)}`, { cause });
}

interface Explanation {
  text: string;
  hint?: string;
}

interface Trouble {
  codes: RegExp;
  explain(cause: Error, server: URL): Explanation;
}

const UNVERIFIED = 'tls: failed to verify certificate: x509:';

/** Go's messages, which users of kubectl know, and hints, by the error codes of Node. The first match counts. */
const TROUBLES: readonly Trouble[] = [
  {
    codes: /^(ENOTFOUND|EAI_AGAIN)$/,
    explain: (_, { hostname }) => ({
      text: `dial tcp: lookup ${hostname}: no such host`,
      hint: 'check the server name, VPN and DNS',
    }),
  },
  {
    codes: /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/,
    explain: (_, { host }) => ({
      text: `dial tcp ${host}: i/o timeout`,
      hint: 'can the server be reached from here? check VPN, firewall and proxy',
    }),
  },
  {
    codes: /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN)$/,
    explain: (_, { host }) => ({
      text: `dial tcp ${host}: connect: no route to host`,
      hint: 'check the server address, VPN and network',
    }),
  },
  {
    codes:
      /SELF_SIGNED_CERT|^UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT)|^CERT_(SIGNATURE_FAILURE|UNTRUSTED|REJECTED)$|^INVALID_CA$/,
    explain: () => ({
      text: `${UNVERIFIED} certificate signed by unknown authority`,
      hint: 'name the CA that signed it: `certificateAuthority` FILE, or certificate-authority-data in the kubeconfig',
    }),
  },
  { codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/, explain: otherName },
  {
    codes: /^(CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/,
    explain: () => ({
      text: `${UNVERIFIED} certificate has expired or is not yet valid`,
      hint: "check this machine's clock, then the server's certificate",
    }),
  },
  {
    codes: /^(ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_HTTP_REQUEST|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/,
    explain: (_, { host }) => noTls(host),
  },
  {
    codes: /^EPROTO$/,
    explain: (cause, { host }) => {
      const text = inWords(cause.message);
      if (/wrong version number|http request|packet length too long|record layer/.test(text)) return noTls(host);
      return {
        text,
        hint: `does ${host} speak a version of TLS that this program speaks? a proxy or a load balancer may be in front of it`,
      };
    },
  },
  {
    codes: /^ERR_SSL_.*ALERT_(.*CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/,
    explain: (cause) => ({
      text: `remote error: tls: ${alertIn(cause)}`,
      hint: 'the server refused the client certificate: check `clientCertificate` and `clientKey`, or the user of the kubeconfig',
    }),
  },
  {
    codes: /^ERR_(OSSL|CRYPTO)_/,
    explain: (cause) => ({
      text: `tls: the CA, certificate or key in use cannot be read: ${messageOf(cause)}`,
      hint: 'check the certificate fields of the cluster and the user in the kubeconfig: PEM, and the key must belong to the certificate',
    }),
  },
];

/**
 * Shortens OpenSSL's errors to their reason (`tls: wrong version number`), without numbers and source lines, and leaves
 * out the flags of Node that its errors recommend.
 */
export function inWords(text: string): string {
  return text
    .replace(/(?:\b\w+ EPROTO )?\b[0-9A-F]+:error:[0-9A-F]+:SSL routines:[^:\n]*:([^:\n]+)[^\n]*\s*/g, 'tls: $1')
    .replace(/; if the root CA is installed locally, try running Node\.js with --use-system-ca/, '');
}

/** The messages of a proxy that wants a login: see {@link ProxyRoute}. */
const WANTS_LOGIN = /^the proxy (?:answered 407|refused the login|wants a login of another kind)$/;

const noTls = (host: string): Explanation => ({
  text: 'http: server gave HTTP response to HTTPS client',
  hint: `is ${host} the right port? a server without TLS is written http://${host}`,
});

function explain(cause: unknown, server: URL): Explanation {
  for (const error of causesOf(cause)) {
    const { code } = error as { code?: unknown };
    const trouble = typeof code === 'string' ? TROUBLES.find(({ codes }) => codes.test(code)) : undefined;
    if (trouble) return trouble.explain(error as Error, server);
  }
  return loginOfProxy(cause) ?? withoutTls(cause, server) ?? { text: textOf(cause) };
}

/** The answer of a proxy that wants a login. */
function loginOfProxy(cause: unknown): Explanation | undefined {
  const text = textOf(cause);
  if (!WANTS_LOGIN.test(text)) return undefined;
  return { text, hint: 'the proxy wants a login: write it in the proxy URL, as in http://USER:PASSWORD@HOST:PORT' };
}

/** The names that the certificate has instead. Source: RFC 6125; wording of crypto/x509 HostnameError. */
function otherName(
  cause: Error & { host?: string; cert?: { subjectaltname?: string } },
  { hostname }: URL,
): Explanation {
  const names = (cause.cert?.subjectaltname ?? '').split(', ').map((name) => name.replace(/^[^:]*:/, ''));
  const [first = 'NAME'] = names.filter(Boolean);
  return {
    text: `${UNVERIFIED} certificate is valid for ${names.join(', ') || 'no name'}, not ${cause.host ?? hostname}`,
    hint: `if it is the right server, say which of its names to expect: \`tlsServerName\` ${first}`,
  };
}

/** A TLS server answers plain HTTP with bytes that are not HTTP, or closes the connection. */
function withoutTls(cause: unknown, { protocol, host }: URL): Explanation | undefined {
  const isHttp = ![...causesOf(cause)].some((error) => String((error as { code?: unknown }).code).startsWith('HPE_'));
  if (protocol === 'https:' || (isHttp && !isConnectionReset(cause))) return undefined;
  return { text: textOf(cause), hint: `does the server want TLS? then write it https://${host}` };
}

/** The alert in an error such as `…:tlsv13 alert certificate required:…`. */
function alertIn(cause: Error): string {
  return /alert ([a-z ]+)/.exec(messageOf(cause))?.[1]?.trim() ?? messageOf(cause);
}

/** The first message in the chain of causes. An AggregateError of several failed addresses has none of its own. */
function textOf(error: unknown): string {
  for (const cause of causesOf(error)) if (messageOf(cause) !== '') return messageOf(cause);
  return 'no reason given';
}
