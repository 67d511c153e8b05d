import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../../src/cli/args/argv.ts';
import { NO_CONFIG } from '../../../src/cli/args/config-file.ts';
import { shapesOf } from '../../../src/cli/args/flag.ts';
import { queryFlags } from '../../../src/cli/args/query-flags.ts';
import { viewText, withView } from '../../../src/cli/args/views.ts';
import { watchFlags } from '../../../src/cli/args/watch-flags.ts';

const FILE = {
  ...NO_CONFIG,
  path: '/c.yaml',
  views: {
    crashing: {
      words: ['pods'],
      flags: { 'all-namespaces': ['true'], where: ['RESTARTS > 3'], limit: ['20'], index: ['a=.x', 'b=.y'] },
    },
    shop: { words: ['pods,deploy'], flags: { namespace: ['shop', 'bank'], output: ['wide'] } },
  },
};

const read = (argv: readonly string[], env: NodeJS.ProcessEnv = {}, flags: typeof queryFlags = queryFlags) => {
  const shapes = shapesOf(flags);
  const { words, given } = withView(readCommandLine(argv, shapes, env), shapes, { file: FILE, command: 'query' });
  return { words, given: Object.fromEntries([...given].map(([name, { values }]) => [name, values])) };
};

describe('a view', () => {
  it('has its words and flags, and those behind its name', () => {
    expect(read(['@shop', 'web', '--count'])).toEqual({
      words: ['pods,deploy', 'web'],
      given: { namespace: ['shop', 'bank'], output: ['wide'], count: ['true'] },
    });
  });

  it('yields to flags of the line; expressions are added, an index of one name replaces the other', () => {
    const line = ['@crashing', '-n', 'dev', '--limit', '5', '--where', 'STATUS != "x"', '--index', 'a=.z'];
    expect(read(line).given).toEqual({
      namespace: ['dev'],
      limit: ['5'],
      where: ['RESTARTS > 3', 'STATUS != "x"'],
      index: ['b=.y', 'a=.z'],
    });
    expect(read(['@shop', '-n', 'dev', '-o', 'name']).given).toEqual({ namespace: ['dev'], output: ['name'] });
  });

  it('comes before the environment', () => {
    const env = { KUBECTL_INFORMER_NAMESPACE: 'env', KUBECTL_INFORMER_LIMIT: '1', KUBECTL_INFORMER_OUTPUT: 'json' };
    expect(read(['@crashing'], env).given).toMatchObject({
      'all-namespaces': ['true'],
      limit: ['20'],
      output: ['json'],
    });
    expect(read(['@crashing'], env).given.namespace).toBeUndefined();
    expect(read(['@shop'], { KUBECTL_INFORMER_ALL_NAMESPACES: 'true' }).given['all-namespaces']).toBeUndefined();
  });

  it('that is not there is refused with the nearest, and @ alone with all of them', () => {
    const hintOf = (argv: string[]) => {
      try {
        read(argv);
      } catch (error) {
        return `${(error as Error).message}; ${(error as { hint?: string }).hint}`;
      }
      return '';
    };
    expect(hintOf(['@crashin'])).toBe(
      'there is no view "crashin"; did you mean @crashing? The views are @crashing, @shop',
    );
    expect(hintOf(['@'])).toBe('@ is followed by the name of a view; The views are @crashing, @shop');
    expect(hintOf(['@toString'])).toContain('there is no view "toString"');
    expect(hintOf(['@shop', '@crashing'])).toContain('a view is the first word, and the only view');
    expect(hintOf(['pods', '@crashing'])).toContain('@crashing is not in its place');
  });

  it('has only flags of the command', () => {
    const shapes = shapesOf(watchFlags);
    const file = { ...FILE, views: { counted: { words: ['pods'], flags: { count: ['true'] } } } };
    expect(() => withView(readCommandLine(['@counted'], shapes), shapes, { file, command: 'watch' })).toThrow(
      'the view counted has --count, which watch does not have',
    );
  });

  it('is shown as it would be typed', () => {
    expect(viewText(FILE.views.crashing)).toBe(
      "pods --all-namespaces --where='RESTARTS > 3' --limit=20 --index=a=.x --index=b=.y",
    );
  });
});
