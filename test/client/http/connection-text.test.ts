import { describe, expect, it } from 'vitest';
import { brokenConnection, inWords, isLoopback, noAnswer } from '../../../src/client/http/connection-text.ts';
import { InformerError } from '../../../src/kit/error.ts';

describe('isLoopback', () => {
  it.each([
    ['localhost', true],
    ['127.0.0.1', true],
    ['127.8.0.1', true],
    ['[::1]', true],
    ['10.0.0.1', false],
    ['127.example.com', false],
  ])('%s: %s', (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });
});

describe('noAnswer', () => {
  const reach = { origin: 'https://api.test:6443', proxyUrl: undefined, closed: false };
  const alert =
    'C0F1:error:0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required:rec_layer_s3.c:907:SSL alert number 116';
  it.each<[code: string, message: string, text: string, hint: string]>([
    ['ENOTFOUND', 'getaddrinfo ENOTFOUND', 'dial tcp: lookup api.test: no such host', 'DNS'],
    ['ETIMEDOUT', 'connect ETIMEDOUT', 'dial tcp api.test:6443: i/o timeout', 'VPN'],
    ['UND_ERR_CONNECT_TIMEOUT', 'Connect Timeout Error', 'dial tcp api.test:6443: i/o timeout', 'VPN'],
    ['EHOSTUNREACH', 'connect EHOSTUNREACH', 'dial tcp api.test:6443: connect: no route to host', 'network'],
    [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'x',
      'tls: failed to verify certificate: x509: certificate signed by unknown authority',
      '`certificateAuthority`',
    ],
    [
      'CERT_HAS_EXPIRED',
      'x',
      'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
      'clock',
    ],
    [
      'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
      alert,
      'remote error: tls: certificate required',
      '`clientCertificate`',
    ],
    [
      'ERR_OSSL_X509_KEY_VALUES_MISMATCH',
      'mismatch',
      'tls: the CA, certificate or key in use cannot be read: mismatch',
      'kubeconfig',
    ],
  ])('names the fault, the server and the next step for %s', (code, message, text, hint) => {
    const error = noAnswer(new AggregateError([Object.assign(new Error(message), { code })]), reach);
    expect(error.message).toBe(`Unable to connect to the server: ${text} (https://api.test:6443)`);
    expect(error).toMatchObject({ code: 'transport', hint: expect.stringContaining(hint) });
  });

  it('shows the message of an unknown error', () => {
    expect(noAnswer(new Error('odd'), reach)).toMatchObject({
      message: 'Unable to connect to the server: odd (https://api.test:6443)',
      hint: undefined,
    });
  });

  it('names the host of a refused connection in the words of kubectl', () => {
    const error = noAnswer(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), reach);
    expect(error.message).toBe(
      'The connection to the server api.test:6443 was refused - did you specify the right host or port?',
    );
    expect(error.hint).toContain('is the cluster running?');
  });

  it('names the proxy without its password in the hint', () => {
    const cause = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
    const { hint } = noAnswer(cause, { ...reach, proxyUrl: 'http://me:hush@proxy:3128' });
    expect(hint).toContain('proxy:3128');
    expect(hint).not.toContain('hush');
  });

  it('names the names of the certificate when the host is not among them', () => {
    const cause = Object.assign(new Error('x'), {
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
      host: 'api.test',
      cert: { subjectaltname: 'DNS:kubernetes, IP Address:10.0.0.1' },
    });
    expect(noAnswer(cause, reach)).toMatchObject({
      message: expect.stringContaining('certificate is valid for kubernetes, 10.0.0.1, not api.test'),
      hint: expect.stringContaining('`tlsServerName` kubernetes'),
    });
  });

  it('is `closed` after the client closed its connections', () => {
    expect(noAnswer(new Error('x'), { ...reach, closed: true })).toMatchObject({
      code: 'closed',
      message: 'the client was closed',
    });
  });

  it('passes on an error of this package', () => {
    const error = new InformerError('config', 'x');
    expect(noAnswer(error, reach)).toBe(error);
  });
});

describe('brokenConnection', () => {
  it('names the host and the first message in the chain of causes', () => {
    const cause = new AggregateError([new Error('reset')], '');
    expect(brokenConnection(cause, 'https://api.test:6443')).toMatchObject({
      code: 'transport',
      message: 'the connection to api.test:6443 broke: reset',
    });
  });

  it('says that there is no reason when no error has a message', () => {
    expect(brokenConnection(new Error(''), 'https://api.test').message).toContain('no reason given');
  });
});

it('inWords keeps only the reason of an OpenSSL error', () => {
  const line =
    'write EPROTO 00A2:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:../ssl/record.c:77:';
  expect(inWords(line)).toBe('tls: wrong version number');
});

it('inWords leaves out the flags that Node recommends', () => {
  expect(
    inWords(
      'unable to verify the first certificate; if the root CA is installed locally, try running Node.js with --use-system-ca',
    ),
  ).toBe('unable to verify the first certificate');
});

it('a proxy that wants a login is named with the next step, without the words of a library', () => {
  const cause = new Error('the proxy answered 407');
  const error = noAnswer(cause, { origin: 'https://10.0.0.1:6443', proxyUrl: 'http://proxy:3128', closed: false });
  expect(error.message).toBe('Unable to connect to the server: the proxy answered 407 (https://10.0.0.1:6443)');
  expect(error.hint).toContain('http://USER:PASSWORD@HOST:PORT');
});
