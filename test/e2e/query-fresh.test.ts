import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../src/testing/index.ts';
import { Cli, run } from '../support/cli.ts';
import { configMap, type Fixture, startFixture } from '../support/fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const query = (...line: string[]) => run(['query', ...line], { env: fixture.env });

const later = (n: number) => String(Number(fixture.sandbox.resourceVersion) + n);

describe('an answer from lists of its own', () => {
  it('is fresh: --fresh and a version that the server has reached cost no request more', async () => {
    const requests = async (...flags: string[]) => {
      const before = fixture.sandbox.requests.matching('/configmaps').length;
      expect(await query('cm', '-n', 'shop', '-o', 'name', ...flags)).toMatchObject({
        code: 0,
        stdout: 'configmap/settings\n',
        stderr: '',
      });
      return fixture.sandbox.requests.matching('/configmaps').length - before;
    };
    const plain = await requests();
    expect(await requests('--fresh', '0s')).toBe(plain);
    expect(await requests('--at-least-rv', later(0))).toBe(plain);
  });

  it('waits until the server has reached the version, and then has what was written', async () => {
    const cli = new Cli(['query', 'cm', '-n', 'shop', '-o', 'name', '--at-least-rv', later(2)], { env: fixture.env });
    const before = fixture.sandbox.requests.matching('/configmaps').length;
    await eventually(() => fixture.sandbox.requests.matching('/configmaps').length >= before + 2);
    fixture.sandbox.apply([configMap('one', {}), configMap('two', {})]);
    expect(await cli.ended()).toMatchObject({
      code: 0,
      stdout: 'configmap/one\nconfigmap/settings\nconfigmap/two\n',
      stderr: '',
    });
  });

  it('ends with 4 for a version that is not reached, with what is known', async () => {
    const version = '99999999';
    const { code, stdout, stderr } = await query('pods,cm', '-n', 'shop', '--at-least-rv', version, '--timeout', '2s');
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toMatch(
      new RegExp(
        `^error: --at-least-rv ${version} not within --timeout: pods is at version \\d+, the server was at \\d+, last proof .* ago; configmaps is at version \\d+`,
      ),
    );
    expect(stderr).toContain('\nhint: is it a resourceVersion of this type and server?');
  });

  it('refuses an empty version, and both flags beside --watch', async () => {
    expect(await query('pods', '--at-least-rv', 'abc', '--timeout', '1ms')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('invalid argument "abc" for "--at-least-rv": expected a resourceVersion'),
    });
    expect(await query('pods', '--at-least-rv', '')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('invalid argument "" for "--at-least-rv": expected a resourceVersion'),
    });
    expect(await query('pods', '--fresh', '2s', '-w')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--fresh does nothing beside --watch'),
    });
  });

  it('has its age and version in --explain', async () => {
    const { stderr } = await query('pods', '-n', 'shop', '--explain', '--at-least-rv', later(0));
    expect(stderr).toMatch(/last sign of life \d+ms ago, at version \d+\n/);
  });
});
