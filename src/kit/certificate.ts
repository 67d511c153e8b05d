import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** A self-signed certificate with its key, as PEM. Clients use the certificate as the authority that they trust. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const DAY_MS = 86_400_000;

/**
 * Creates a self-signed certificate for loopback and `host`, a name or an address: for the sandbox, and for tests of
 * servers such as webhooks. It is valid from a day before `now` (ms since 1970) for ten years.
 */
export async function makeCertificate(host: string, now: number): Promise<Certificate> {
  const subject = nameOf('kubectl-informer-sandbox');
  const extensions = [...AUTHORITY, SERVER_AUTH, namesOf([...LOOPBACK, host])];
  return issued({ subject, extensions, from: now - DAY_MS, until: now + 3650 * DAY_MS });
}

/** A server's certificate, with that of the authority that signed it, as PEM. */
export interface SignedCertificate extends Certificate {
  readonly ca: string;
}

/**
 * Creates a certificate for loopback and `host`, and an authority of its own for it, which is forgotten. For clients that
 * take no certificate as its own authority, as rustls, so kube-rs. It is valid as that of {@link makeCertificate}.
 */
export function makeSignedCertificate(host: string, now: number): SignedCertificate {
  const validity = { from: now - DAY_MS, until: now + 3650 * DAY_MS };
  const authority = makeAuthority('kubectl-informer-sandbox', validity);
  return { ...makeServerCertificate(authority, [...LOOPBACK, host], validity), ca: authority.cert };
}

/** Creates an authority that signs certificates of servers. It is valid from `from` until `until`, ms since 1970. */
export function makeAuthority(name: string, { from, until }: Validity): Certificate {
  return issued({ subject: nameOf(name), extensions: AUTHORITY, from, until });
}

/** Creates the certificate of a server that is reached by these names and addresses, signed by an authority. */
export function makeServerCertificate(
  authority: Certificate,
  hosts: readonly string[],
  { from, until }: Validity,
): Certificate {
  const issuer = { name: subjectOf(authority.cert), key: createPrivateKey(authority.key) };
  const extensions = [extension(OID.basicConstraints, sequence(), { critical: true }), DIGITAL_SIGNATURE, SERVER_AUTH];
  const subject = nameOf((hosts[0] ?? '').slice(0, LONGEST_NAME));
  return issued({ subject, issuer, extensions: [...extensions, namesOf(hosts)], from, until });
}

export interface Validity {
  readonly from: number;
  readonly until: number;
}

interface Issue extends Validity {
  readonly subject: Buffer;
  /** Absent: the certificate signs itself. */
  readonly issuer?: { readonly name: Buffer; readonly key: KeyObject };
  readonly extensions: readonly Buffer[];
}

function issued({ subject, issuer, extensions, from, until }: Issue): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const content = sequence(
    tagged(0, integer(2)), // X.509 version 3
    integer(...serialNumber()),
    sequence(oid(OID.ecdsaWithSha256)),
    issuer?.name ?? subject,
    sequence(time(from), time(until)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(3, sequence(...extensions)),
  );
  const signature = sign('sha256', content, issuer?.key ?? privateKey);
  const der = sequence(content, sequence(oid(OID.ecdsaWithSha256)), bits(0, signature));
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert: pem(der) };
}

/** The longest common name. Source: RFC 5280, ub-common-name. */
const LONGEST_NAME = 64;

const nameOf = (name: string) => sequence(set(sequence(oid(OID.commonName), text(name))));

/** The subject of a certificate of {@link makeAuthority}, as its certificates name their issuer. */
function subjectOf(cert: string): Buffer {
  return nameOf(new X509Certificate(cert).subject.replace(/^CN=/, ''));
}

/** Object identifiers, encoded. Source: RFC 5280, RFC 5758. */
const OID = {
  commonName: '550403',
  ecdsaWithSha256: '2a8648ce3d040302',
  basicConstraints: '551d13',
  keyUsage: '551d0f',
  extendedKeyUsage: '551d25',
  subjectAltName: '551d11',
  serverAuth: '2b06010505070301',
} as const;

const namesOf = (hosts: readonly string[]) =>
  extension(OID.subjectAltName, sequence(...[...new Set(hosts)].map(altName)));

const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

/** Positive, and not the same twice: clients refuse two certificates of one issuer with one number. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

/** A name or an address for which the certificate is valid. */
function altName(host: string): Buffer {
  const family = isIP(host);
  if (family === 0) return der(0x82, Buffer.from(host, 'latin1'));
  return der(0x87, family === 4 ? Buffer.from(host.split('.').map(Number)) : addressBytes(host));
}

/** The 16 bytes of an IPv6 address. A certificate has no zone (`%eth0`). */
function addressBytes(host: string): Buffer {
  const [address] = host.split('%');
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1); // without an IPv4 part
  const [before = [], after = []] = short.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return Buffer.from([...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

// The encoding is DER (X.690): a tag, the length, the content.

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...head), content]);
}

const TRUE = der(0x01, Buffer.of(0xff));
const integer = (...bytes: number[]) => der(0x02, Buffer.from(bytes));
const bits = (unused: number, bytes: Uint8Array) => der(0x03, Buffer.of(unused), bytes);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const text = (value: string) => der(0x0c, Buffer.from(value));
const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const set = (...parts: Uint8Array[]) => der(0x31, ...parts);
const tagged = (number: number, part: Uint8Array) => der(0xa0 + number, part);

/** To the second. Years from 2050 have four digits (RFC 5280). */
function time(ms: number): Buffer {
  const digits = `${new Date(ms).toISOString().replace(/\..*|\D/g, '')}Z`;
  return digits < '2050' ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits));
}

function extension(id: string, value: Buffer, { critical = false } = {}): Buffer {
  return sequence(oid(id), ...(critical ? [TRUE] : []), der(0x04, value));
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

const AUTHORITY = [
  extension(OID.basicConstraints, sequence(TRUE), { critical: true }),
  extension(OID.keyUsage, bits(2, Buffer.of(0b1000_0100)), { critical: true }), // digitalSignature, keyCertSign
];
const DIGITAL_SIGNATURE = extension(OID.keyUsage, bits(7, Buffer.of(0b1000_0000)), { critical: true });
const SERVER_AUTH = extension(OID.extendedKeyUsage, sequence(oid(OID.serverAuth)));
