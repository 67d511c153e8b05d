import { createPrivateKey, X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { makeCertificate } from '../../../src/sandbox/server/certificate.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

it.each([
  ['127.0.0.1', []],
  ['localhost', []],
  ['::1', []],
  ['192.168.1.5', ['IP Address:192.168.1.5']],
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
