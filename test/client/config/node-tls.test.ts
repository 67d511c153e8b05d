import { expect, it } from 'vitest';
import { nodeTls } from '../../../src/client/config/node-tls.ts';

it('makes Buffers of bytes without a copy, and keeps everything else', () => {
  const bytes = new Uint8Array([0, 1, 2, 3, 4]).subarray(1, 4);
  const key = Buffer.from('key');
  const tls = nodeTls({ ca: bytes, cert: 'pem', key, passphrase: 'p', rejectUnauthorized: false });
  expect(Object.keys(tls).sort()).toEqual(['ca', 'cert', 'key', 'passphrase', 'rejectUnauthorized']);
  expect(Buffer.isBuffer(tls.ca)).toBe(true);
  expect([...(tls.ca as Buffer)]).toEqual([1, 2, 3]);
  bytes[0] = 9;
  expect([...(tls.ca as Buffer)]).toEqual([9, 2, 3]);
  expect([tls.cert, tls.key === key, tls.passphrase, tls.rejectUnauthorized]).toEqual(['pem', true, 'p', false]);
});
