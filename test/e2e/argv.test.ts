import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../support/cli.ts';
import { type Fixture, SECRET_VALUE, startFixture } from '../support/fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const names = (line: string[]) => ['watch', ...line, '--once', '-o', 'name'];
const WEB = ['pod/web-1', 'pod/web-2'];
const ALL = [...WEB, 'pod/db-1'];

/**
 * Command lines as kubectl users type them, and what the built program makes of each: exit code, words on stdout, text
 * on stderr.
 */
const LINES: [line: string[], code: number, stdout: string[], stderr?: string][] = [
  [names(['pods', '-n', 'shop']), 0, WEB],
  [names(['-n', 'shop', 'pods']), 0, WEB],
  [names(['-nshop', 'pods']), 0, WEB],
  [names(['-n=shop', 'po']), 0, WEB],
  [names(['--namespace=shop', 'Pod']), 0, WEB],
  [names(['--namespace', 'shop', 'pod']), 0, WEB],
  [names(['pods', '-n', 'shop,other']), 0, ALL],
  [names(['pods', '-n', 'shop', '-n', 'other']), 0, ALL],
  [names(['pods', '-A']), 0, ALL],
  [names(['pods', '-A=true']), 0, ALL],
  [names(['pods', '-A=false', '-n', 'shop']), 0, WEB],
  [names(['pods', '--all-namespaces=T']), 0, ALL],
  [names(['pods', '-Aw']), 0, ALL],
  [names(['-wA', 'pods']), 0, ALL],
  [names(['pods', '--output-watch-events=false', '-A']), 0, ALL],
  [names(['pods', '--output-watch-events', '--chunk-size=500', '-A']), 0, ALL],
  [names(['pods', '--ignore-not-found', '-A']), 0, ALL],
  [['watch', 'pods', '-A', '--once', '-oname'], 0, ALL],
  [['watch', 'pods', '-A', '--once', '-o=name'], 0, ALL],
  [['watch', 'pods', '-Ao', 'name', '--once'], 0, ALL],
  [['watch', 'pods', '-A', '--once', '-o', 'json', '-o', 'name'], 0, ALL],
  [['-n', 'shop', 'watch', 'pods', '--once', '-o', 'name'], 0, WEB],
  [names(['pods', 'web-1', '-n', 'shop']), 0, ['pod/web-1']],
  [names(['pod/web-2', '-n', 'shop']), 0, ['pod/web-2']],
  [names(['pods,deploy', '-n', 'shop']), 0, [...WEB, 'deployment.apps/web']],
  [names(['v1/pods', '-n', 'shop']), 0, WEB],
  [names(['apps/v1/deployments', '-n', 'shop']), 0, ['deployment.apps/web']],
  [names(['deployments.v1.apps', '-n', 'shop']), 0, ['deployment.apps/web']],
  [names(['pods', '-A', '-l', 'app=db']), 0, ['pod/db-1']],
  [names(['pods', '-A', '-l', 'app in (db,none)']), 0, ['pod/db-1']],
  [names(['pods', '-A', '--selector=app!=web']), 0, ['pod/db-1']],
  [names(['pods', '-A', '--field-selector', 'spec.nodeName=worker-2']), 0, ['pod/web-2', 'pod/db-1']],
  [['watch', '--once', '-o', 'name', '-n', 'shop', 'pods', '--', 'web-1'], 0, ['pod/web-1']],
  [names(['nodes', '-n', 'shop']), 0, []],
  [['watch', 'pods', '-n', 'shop', '--once', '-o', 'jsonpath={.metadata.name}'], 0, ['web-1', 'web-2']],
  [
    ['query', 'pods', '-A', '--index', 'node=.spec.nodeName', '--eq', 'node=worker-2', '-o', 'name'],
    0,
    ['pod/web-2', 'pod/db-1'],
  ],
  [['watch', 'pods', '--namespcae', 'shop'], 2, [], 'unknown flag: --namespcae'],
  [['watch', 'pods', '-Ax'], 2, [], "unknown shorthand flag: 'x' in -Ax"],
  [['watch', 'pods', '-n'], 2, [], "flag needs an argument: 'n' in -n"],
  [['watch', 'pods', '-A=maybe'], 2, [], 'strconv.ParseBool: parsing "maybe": invalid syntax'],
  [['watch', 'pods', '--limit', 'many'], 2, [], 'invalid argument "many" for "--limit"'],
  [['watch', 'pods', '--timeout', '5'], 2, [], 'invalid argument "5" for "--timeout"'],
  [['watch', 'podz', '-A'], 2, [], `the server doesn't have a resource type "podz"`],
  [['watch', '-A'], 2, [], 'You must specify the type of resource'],
  [['watch', 'pods', '-l', 'a===b'], 2, [], "found '=', expected: identifier"],
  [['watch', 'pods', '-o', 'xml'], 2, [], 'xml'],
  [['wacth', 'pods'], 2, [], `unknown command "wacth"`],
  [['watch', 'pods', 'pod/web-1'], 2, [], 'there is no need to specify a resource type as a separate argument'],
  [['reconcile', 'pods', '--hook', './missing.ts', '--allow-write=false'], 2, [], 'missing.ts'],
];

describe('the built program reads command lines as kubectl does', () => {
  it.each(LINES)('%j → %i', async (line, code, stdout, stderr) => {
    const result = await run(line, { env: fixture.env, input: 'piped words are no arguments\n' });
    expect({ code: result.code, words: result.stdout.split(/\s+/).filter(Boolean).sort() }, result.stderr).toEqual({
      code,
      words: [...stdout].sort(),
    });
    if (stderr !== undefined) expect(result.stderr).toContain(stderr);
    if (code !== 0) expect(result.stderr).toMatch(/^error: .+/);
  });

  it('takes flags from the environment', async () => {
    const env = { ...fixture.env, KUBECTL_INFORMER_NAMESPACE: 'shop', KUBECTL_INFORMER_OUTPUT: 'name' };
    const { stdout } = await run(['watch', 'pods', '--once'], { env });
    expect(stdout).toBe('pod/web-1\npod/web-2\n');
  });

  it.each(['watch', 'query', 'reconcile', 'sandbox'])(
    '%s --help shows flags and examples, and connects to no server',
    async (command) => {
      const { code, stdout, stderr } = await run([command, '--help'], { env: { KUBECONFIG: '/nonexistent' } });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('EXAMPLES');
      expect(stdout).not.toContain(SECRET_VALUE);
    },
  );

  it('says its version', async () => {
    expect((await run(['--version'])).stdout).toMatch(/^kubectl-informer \d+\.\d+\.\d+ \(node /);
  });
});
