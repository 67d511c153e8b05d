import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Sandbox } from '../../src/sandbox/index.ts';
import { Cli, type Finished } from '../support/cli.ts';
import { OBJECTS } from '../support/fixture.ts';
import { binding, clusterRoleOf, role } from '../support/rbac.ts';

const PAGE = readFileSync(path.resolve(import.meta.dirname, '../../docs/rights.md'), 'utf8');

interface Right {
  readonly verb: string;
  readonly resource: string;
  readonly group: string;
  readonly names: readonly string[];
  readonly isOfCluster: boolean;
}

interface Row {
  readonly command: string;
  readonly rights: readonly Right[];
}

/** `list, watch pods [web-1]; create events` */
function rightsOf(cell: string, isOfCluster: boolean): Right[] {
  if (cell === '–') return [];
  return cell.split('; ').flatMap((part) => {
    const [, verbs = '', resource = '', group = '', name] =
      /^([a-z, ]+) ([a-z]+)(?:\.([\w.]+))?(?: \[(.+)\])?$/.exec(part) ?? [];
    expect(resource, part).not.toBe('');
    return verbs.split(', ').map((verb) => ({ verb, resource, group, names: name ? [name] : [], isOfCluster }));
  });
}

const rows: Row[] = [...PAGE.matchAll(/^\| `(.+?)` \| (.+?) \| (.+?) \|$/gm)].map(
  ([, command = '', inShop = '', inCluster = '']) => ({
    command,
    rights: [...rightsOf(inShop, false), ...rightsOf(inCluster, true)],
  }),
);

const HOOKS = {
  'look.mjs': `export default ({ key, log }) => log.info('looked at', { key });\n`,
  'mark.mjs': `export default ({ object, key, log }) => {
  log.info('looked at', { key });
  return object ? { actions: [{ patch: { metadata: { annotations: { marked: 'yes' } } } }] } : undefined;
};\n`,
  'event.mjs': `export default ({ object, key, log }) => {
  log.info('looked at', { key });
  return object ? { actions: [{ event: { reason: 'Seen', message: 'seen' } }] } : undefined;
};\n`,
};

/** What shows that a stream does its job. Others end by themselves. */
const STREAMS: readonly [RegExp, (cli: Cli) => boolean][] = [
  [/^watch (?!.*--(once|for)\b)/, ({ stderr }) => /ended by --timeout/.test(stderr)],
  [/^query .*--watch/, ({ stderr }) => /ended by --timeout|--timeout/.test(stderr)],
  [/^serve /, ({ stderr, stdout }) => /ready|serves|pods/.test(stderr + stdout)],
  [/^reconcile /, ({ stderr }) => /looked at key=|shop\/web-\d: looked at/.test(stderr)],
];

/** A pod of a ReplicaSet of a Deployment. */
const owner = (kind: string, name: string) => ({
  apiVersion: 'apps/v1',
  kind,
  name,
  uid: `uid-of-${name}`,
  controller: true,
});
const OWNED = [
  {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: 'web-1a',
      namespace: 'shop',
      uid: 'uid-of-web-1a',
      ownerReferences: [owner('Deployment', 'web')],
    },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'a:1' }] } },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web-1a-x',
      namespace: 'shop',
      labels: { app: 'web' },
      ownerReferences: [owner('ReplicaSet', 'web-1a')],
    },
    spec: { containers: [{ name: 'c', image: 'a:1' }] },
  },
];

let sandbox: Sandbox;
let folder: string;
let users = 0;
beforeAll(async () => {
  sandbox = await Sandbox.start({ rbac: true });
  sandbox.apply([...OBJECTS, ...OWNED]);
  folder = mkdtempSync(path.join(tmpdir(), 'informer-test-'));
  for (const [name, text] of Object.entries(HOOKS)) writeFileSync(path.join(folder, name), text);
});
afterAll(async () => {
  await sandbox.stop();
  rmSync(folder, { recursive: true, force: true });
});

const LEASES = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };

/** Undoes what the runs before wrote: marks, finalizers, Leases. */
function reset(): void {
  sandbox.put([...OBJECTS, ...OWNED]);
  for (const { metadata } of sandbox.list(LEASES, { namespace: 'shop' }))
    sandbox.delete(LEASES, `shop/${metadata.name}`);
}

/** Runs a command as a user with these rights and no others, until it has done its job, or for some seconds. */
async function runWith(
  command: string,
  rights: readonly Right[],
  { isEnough = true } = {},
): Promise<Finished & { isDone: boolean }> {
  reset();
  const user = `user-${++users}`;
  const rulesOf = (isOfCluster: boolean) =>
    rights
      .filter((right) => right.isOfCluster === isOfCluster)
      .map(({ verb, resource, group, names }) => ({
        apiGroups: [group],
        resources: [resource],
        verbs: [verb],
        ...(names.length > 0 && { resourceNames: names }),
      }));
  sandbox.apply([role(user, ...rulesOf(false)), binding(user, ['Role', user], { kind: 'User', name: user })]);
  if (rulesOf(true).length > 0) sandbox.apply(clusterRoleOf(user, rulesOf(true)));
  const kubeconfig = path.join(folder, user);
  writeFileSync(kubeconfig, sandbox.kubeconfig({ token: sandbox.tokenFor({ user }) }), { mode: 0o600 });
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  const stream = STREAMS.find(([pattern]) => pattern.test(command));
  const limit = /^(watch|query .*--watch)/.test(command) && !command.includes('--once') ? ['--timeout', '2s'] : [];
  const isServe = command.startsWith('serve');
  const env = {
    KUBECONFIG: kubeconfig,
    XDG_RUNTIME_DIR: isServe ? folder : '',
    XDG_CACHE_HOME: path.join(folder, 'cache', user),
  };
  const cli = new Cli([...words, ...limit], { env, cwd: folder });
  await using _ = cli;
  let isDone = stream === undefined;
  const until = Date.now() + 45_000;
  while (cli.child.exitCode === null && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (isEnough && stream?.[1](cli)) {
      isDone = true;
      break;
    }
    if (!isEnough && /cannot \w+ resource/.test(cli.stderr)) break;
  }
  cli.kill('SIGTERM');
  return { ...(await cli.ended()), isDone };
}

describe('the rights of docs/rights.md', () => {
  it('are there', () => {
    expect(rows.length).toBeGreaterThan(20);
  });

  it.each(rows)('suffice for $command', async ({ command, rights }) => {
    const { code, stderr, isDone } = await runWith(command, rights);
    expect({ isDone, stderr }).toEqual({
      isDone: true,
      stderr: expect.not.stringMatching(/forbidden|cannot \w+ resource/),
    });
    expect([0, 3, 143, null], stderr).toContain(code);
  });

  it.each(
    rows.flatMap(({ command, rights }) =>
      rights.map((right) => ({ command, rights, right, without: `${right.verb} ${right.resource}` })),
    ),
  )('are needed: $command says what is missing without $without', async ({ command, rights, right }) => {
    const { stderr } = await runWith(
      command,
      rights.filter((each) => each !== right),
      { isEnough: false },
    );
    expect(stderr).toMatch(new RegExp(`cannot ${right.verb} resource .?"?${right.resource}`));
  });
});
