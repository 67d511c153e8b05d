import { expect, it } from 'vitest';
import { hasFormat } from '../../../../src/sandbox/types/custom/formats.ts';

it.each<[format: string, accepted: string[], refused: string[]]>([
  ['byte', ['', 'YQ==', 'YWJj'], ['YQ=', 'a-b=', 'YQ']],
  ['cidr', ['10.0.0.0/8', 'fe80::/64', '0.0.0.0/0'], ['10.0.0.0', '10.0.0.0/33', 'fe80::/129', '10.0.0.0/8/1', 'x/8']],
  ['date', ['2026-01-31'], ['2026-13-01', '2026-1-1', '2026-01-31T00:00:00Z']],
  ['date-time', ['2026-01-31T10:00:00Z', '2026-01-31t10:00:00.5+01:00'], ['2026-01-31', '10:00:00', 'now']],
  ['datetime', ['2026-01-31T10:00:00Z'], ['now']],
  ['duration', ['0', '1h30m', '-1.5s', '2d', '1w'], ['', '1', 'h', '1y']],
  ['email', ['a@b.example'], ['a', 'a@', 'a b@c']],
  ['hostname', ['a', 'a-b.example.com', 'example.com.'], ['', '-a', 'a_b', `${'a'.repeat(64)}.com`]],
  ['ipv4', ['10.0.0.1'], ['10.0.0', '::1']],
  ['ipv6', ['::1'], ['10.0.0.1', ':::']],
  ['mac', ['01:23:45:67:89:ab', '01-23-45-67-89-AB', '0123.4567.89ab'], ['01:23', '01:23:45:67:89:xx']],
  ['uri', ['https://example.com', 'urn:a:b', '/path'], ['example', 'http: //x']],
  ['uuid', ['123e4567-e89b-12d3-a456-426614174000', '123E4567E89B12D3A456426614174000'], ['123e4567']],
  ['uuid3', ['123e4567-e89b-32d3-a456-426614174000'], ['123e4567-e89b-42d3-a456-426614174000']],
  ['uuid4', ['123e4567-e89b-42d3-a456-426614174000'], ['123e4567-e89b-32d3-a456-426614174000']],
  ['uuid5', ['123e4567-e89b-52d3-a456-426614174000'], ['123e4567-e89b-42d3-a456-426614174000']],
])('the format %s accepts %j and refuses %j', (format, accepted, refused) => {
  expect(accepted.filter((text) => !hasFormat(format, text))).toEqual([]);
  expect(refused.filter((text) => hasFormat(format, text))).toEqual([]);
});

it.each(['colour', 'constructor'])('the unknown format %s accepts every text', (format) => {
  expect(hasFormat(format, 'anything')).toBe(true);
});
