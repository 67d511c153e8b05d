import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src/cli/args/argv.ts';
import { shapesOf } from '../../src/cli/args/flag.ts';
import { reconcileFlags } from '../../src/cli/args/reconcile-flags.ts';
import { podArgs } from '../../src/manifest/pod-args.ts';

const SHAPES = shapesOf(reconcileFlags);

function argsOf(argv: readonly string[], set: Record<string, string | undefined> = {}, env: NodeJS.ProcessEnv = {}) {
  return podArgs(readCommandLine(argv, SHAPES, env), reconcileFlags, set);
}

/** What Kubernetes makes of an argument. Source: kubernetes third_party/forked/golang/expansion/expand.go. */
function expanded(text: string): string {
  return text.replaceAll(/\$(\$|\(([^)]*)\)|)/g, (all, next: string, name: string | undefined) =>
    next === '$' ? '$' : name === undefined ? all : `<${name}>`,
  );
}

describe('the arguments of a container', () => {
  it('are the words and each flag as one argument, as it was meant', () => {
    const { args, remarks } = argsOf([
      'pods',
      'web-1',
      '-n',
      'a,b',
      '-l',
      'app=web',
      '--owns=x,y',
      '--workers',
      '4',
      '--allow-write',
      '--wait-for-crd=false',
    ]);
    expect(args).toEqual([
      'reconcile',
      'pods',
      'web-1',
      '--namespace=a,b',
      '--selector=app=web',
      '--owns=x,y',
      '--workers=4',
      '--allow-write',
      '--wait-for-crd=false',
    ]);
    expect(remarks).toEqual([]);
  });

  it('mean the same when a container reads them', () => {
    const argv = [
      'pods',
      '--filter',
      'a, b',
      '--filter',
      '-c',
      '--schedule=0 3 * * *',
      '-A',
      '-v',
      '4',
      '--exec',
      "echo '{{.metadata.name}}'",
    ];
    const { args } = argsOf(argv);
    const values = ({ given }: ReturnType<typeof readCommandLine>) =>
      new Map([...given].map(([name, { values: texts }]) => [name, texts]));
    expect(values(readCommandLine(args.slice(1), SHAPES))).toEqual(values(readCommandLine(argv, SHAPES)));
  });

  it('have what the environment says here, because a Pod does not have it', () => {
    const { args } = argsOf(['pods'], {}, { KUBECTL_INFORMER_WORKERS: '3', KUBECTL_INFORMER_ALL_NAMESPACES: 'true' });
    expect(args).toEqual(['reconcile', 'pods', '--all-namespaces', '--workers=3']);
  });

  it('have values that are set instead of those given, and others in addition', () => {
    const set = { hook: '/hook/a.ts', 'leader-elect': 'true', namespace: undefined };
    expect(argsOf(['pods', '--hook', './a.ts', '-n', 'shop'], set).args).toEqual([
      'reconcile',
      'pods',
      '--hook=/hook/a.ts',
      '--namespace=shop',
      '--leader-elect',
    ]);
  });

  it('leave out and name the flags of this machine, without a value of them', () => {
    const { args, remarks } = argsOf([
      'pods',
      '--context',
      'x',
      '--token',
      'secret',
      '--cache-dir=/c',
      '--observe',
      'f',
      '--as=jane',
      '--qps=5',
    ]);
    expect(args).toEqual(['reconcile', 'pods', '--qps=5']);
    expect(remarks).toEqual([
      'not in the Pod, which has the login of its service account: --context, --token, --cache-dir, --as (used only here)',
      'not in the Pod: --observe, which is for a run on this machine',
    ]);
  });

  it.each(['$(HOME)', '$$(HOME)', '$$', '$', 'a$b', '^a$', '$$$(A)$$$$', "match('^x$$')", '$('])(
    'with %s in them are what Kubernetes expands to it',
    (text) => {
      const [, , arg = ''] = argsOf(['pods', '--filter', text]).args;
      expect(expanded(arg)).toBe(`--filter=${text}`);
    },
  );
});
