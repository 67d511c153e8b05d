import { execFileSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  type Certificate,
  makeAuthority,
  makeCertificate,
  makeServerCertificate,
  makeSignedCertificate,
} from '../../src/kit/certificate.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

it.each([
  ['127.0.0.1', []],
  ['localhost', []],
  ['::1', []],
  ['192.168.1.5', ['IP Address:192.168.1.5']],
  ['2001:db8::7:10.0.0.1', ['IP Address:2001:DB8:0:0:0:7:A00:1']],
  ['fe80::1%eth0', ['IP Address:FE80:0:0:0:0:0:0:1']],
  ['box.example.com', ['DNS:box.example.com']],
])('a certificate for %s is valid for loopback and for %j', async (host, names) => {
  const { cert } = await makeCertificate(host, NOW);
  const loopback = ['DNS:localhost', 'IP Address:127.0.0.1', 'IP Address:0:0:0:0:0:0:0:1'];
  expect(new X509Certificate(cert).subjectAltName?.split(', ')).toEqual([...loopback, ...names]);
});

it('is its own authority, has the key beside it, and is valid from a day before for ten years', async () => {
  const { cert, key } = await makeCertificate('127.0.0.1', NOW);
  const certificate = new X509Certificate(cert);
  expect([certificate.ca, certificate.verify(certificate.publicKey)]).toEqual([true, true]);
  expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(Date.parse(certificate.validFrom)).toBe(NOW - 86_400_000);
  expect(Date.parse(certificate.validTo)).toBe(NOW + 3650 * 86_400_000);
});

it('a signed certificate is no authority, is of the one beside it, and is valid for loopback and the host', () => {
  const { cert, key, ca } = makeSignedCertificate('box.example.com', NOW);
  const [certificate, authority] = [new X509Certificate(cert), new X509Certificate(ca)];
  expect([certificate.ca, authority.ca, certificate.verify(authority.publicKey)]).toEqual([false, true, true]);
  expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(certificate.subjectAltName?.split(', ')).toEqual([
    'DNS:localhost',
    'IP Address:127.0.0.1',
    'IP Address:0:0:0:0:0:0:0:1',
    'DNS:box.example.com',
  ]);
  expect(certificate.checkHost('box.example.com')).toBe('box.example.com');
});

it('is valid beyond 2050 too, where times are written with four digits', async () => {
  const { cert } = await makeCertificate('127.0.0.1', Date.parse('2049-06-01T00:00:00Z'));
  const { validFrom, validTo } = new X509Certificate(cert);
  expect([Date.parse(validFrom), Date.parse(validTo)]).toEqual([
    Date.parse('2049-05-31T00:00:00Z'),
    Date.parse('2049-06-01T00:00:00Z') + 3650 * 86_400_000,
  ]);
});

it('has another serial number each time, of 16 bytes and positive', async () => {
  const numbers = await Promise.all(
    Array.from({ length: 50 }, async () => new X509Certificate((await makeCertificate('a', NOW)).cert).serialNumber),
  );
  expect(new Set(numbers).size).toBe(50);
  expect(numbers.filter((number) => !/^[4-7][0-9A-F]{31}$/.test(number))).toEqual([]);
});

it('adds no name to the global Reflect', () => {
  const module = new URL('../../src/kit/certificate.ts', import.meta.url).href;
  const script = `const before = Object.getOwnPropertyNames(Reflect).join();
    const { makeCertificate } = await import(${JSON.stringify(module)});
    await makeCertificate('127.0.0.1', 0);
    console.log(Object.getOwnPropertyNames(Reflect).join() === before);`;
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })).toBe('true\n');
});

it('of an authority and of a server that it signed: the server is trusted for its names by the authority alone', () => {
  const validity = { from: NOW, until: NOW + 86_400_000 };
  const [authority, other] = ['one', 'one'].map((name) => makeAuthority(name, validity));
  const server = makeServerCertificate(authority as Certificate, ['hooks.infra.svc', '127.0.0.1'], validity);
  const certificate = new X509Certificate(server.cert);
  const verify = (by: Certificate | undefined) => certificate.verify(new X509Certificate(by?.cert ?? '').publicKey);
  expect([verify(authority), verify(other), certificate.ca]).toEqual([true, false, false]);
  expect(certificate.checkIssued(new X509Certificate(authority?.cert ?? ''))).toBe(true);
  expect([certificate.checkHost('hooks.infra.svc'), certificate.checkIP('127.0.0.1')]).toEqual([
    'hooks.infra.svc',
    '127.0.0.1',
  ]);
  expect(certificate.checkPrivateKey(createPrivateKey(server.key))).toBe(true);
});
