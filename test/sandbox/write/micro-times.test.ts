import { describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../../src/model/object.ts';
import type { ApiType } from '../../../src/sandbox/types/api-type.ts';
import { builtinTypes } from '../../../src/sandbox/types/builtin-types.ts';
import { checkMicroTimes, checkPatchedMicroTimes } from '../../../src/sandbox/write/micro-times.ts';
import { PATHS, useSandbox } from '../../support/write-requests.ts';

const server = useSandbox();
const leases = builtinTypes().find((t) => t.kind === 'Lease') as ApiType;
const lease = (renewTime: unknown): UnknownObject => ({
  metadata: { name: 'l' },
  spec: { renewTime, holderIdentity: 'h' },
});

it('refuses a micro-time that it cannot parse', async () => {
  const { status, body } = await server.ask('POST', PATHS.leases, lease('2026-01-01T00:00:00Z'));
  expect([status, body.message]).toEqual([400, expect.stringContaining('cannot parse "Z" as ".000000"')]);
});

describe('a micro-time', () => {
  it.each(['2026-01-31T23:59:59.000000Z', '2026-01-31T23:59:59.123456+01:00', undefined, null, 5])(
    '%s is accepted',
    (time) => {
      expect(() => checkMicroTimes(leases, lease(time))).not.toThrow();
    },
  );

  it.each([
    ['', '"" as "2006"'],
    ['2026-13-01T00:00:00.000000Z', '"13-01T00:00:00.000000Z" as "01"'],
    ['2026-01-01 00:00:00.000000Z', '" 00:00:00.000000Z" as "T"'],
    ['2026-01-01T24:00:00.000000Z', '"24:00:00.000000Z" as "15"'],
    ['2026-01-01T00:00:00.000Z', '".000Z" as ".000000"'],
    ['2026-01-01T00:00:00.000000', '"" as "Z07:00"'],
  ])('%j is refused: cannot parse %s', (time, problem) => {
    expect(() => checkMicroTimes(leases, lease(time))).toThrow(`cannot parse ${problem}`);
  });

  it('in a patched object is refused with the whole object, its keys sorted', () => {
    expect(() => checkPatchedMicroTimes(leases, { apiVersion: 'v1', kind: 'Lease', ...lease('x') })).toThrow(
      '"{\\"apiVersion\\":\\"v1\\",\\"kind\\":\\"Lease\\",\\"metadata\\":{\\"name\\":\\"l\\"},\\"spec\\":{\\"holderIdentity\\":\\"h\\",\\"renewTime\\":\\"x\\"}}"',
    );
  });
});
