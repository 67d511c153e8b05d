import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { CommandLine } from '../../../src/cli/args/argv.ts';
import { readCommandLine } from '../../../src/cli/args/argv.ts';
import { shapesOf, valuesOf } from '../../../src/cli/args/flag.ts';
import { watchFlags } from '../../../src/cli/args/watch-flags.ts';
import type { Session } from '../../../src/cli/session/session.ts';
import { type Io, TextSink } from '../../../src/cli/terminal/io.ts';
import { checkWatch, planOf } from '../../../src/cli/watch/read-watch.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';

function io({ isTerminal = false } = {}): Io {
  const stream = () => Object.assign(new Writable({ write: (_chunk, _, done) => done() }), { isTTY: isTerminal });
  return { stdout: new TextSink(stream()), stderr: new TextSink(stream()), env: {} };
}

const typeOf = (group: string, resource: string, namespaced = true): ResourceType => ({
  gvr: { group, version: 'v1', resource },
  kind: resource,
  singular: resource,
  shortNames: [],
  categories: [],
  namespaced,
  verbs: ['list', 'watch'],
  subresources: [],
  preferred: true,
});
const TYPES: Readonly<Record<string, ResourceType>> = {
  pods: typeOf('', 'pods'),
  deploy: typeOf('apps', 'deployments'),
  nodes: typeOf('', 'nodes', false),
};

/** The plan for a command line, as it is typed, with what was written to stderr. */
async function planned(words: string[], options: { isTerminal?: boolean } = {}) {
  const line: CommandLine = readCommandLine(words, shapesOf(watchFlags), {}) as CommandLine;
  const flags = valuesOf(watchFlags, line.given);
  const edges = io(options);
  const notices: string[] = [];
  const session = {
    io: edges,
    clock: new FakeClock(),
    config: { namespace: 'mine' },
    notice: (text: string) => notices.push(text),
    resolve: async (types: readonly string[]) =>
      types.map((name) => ({ type: TYPES[name] as ResourceType, names: [] })),
    client: {
      raw: async () =>
        JSON.stringify({
          kind: 'Table',
          apiVersion: 'meta.k8s.io/v1',
          columnDefinitions: [{ name: 'Name', type: 'string' }],
          rows: [],
        }),
    },
    signal: new AbortController().signal,
  } as unknown as Session;
  const plan = await planOf(line.words, flags, await checkWatch(flags, line, edges), session);
  return { plan, notices };
}

describe('as little of the objects is asked for as a command line needs', () => {
  it.each<[string[], unknown]>([
    [[], { table: 'Metadata' }],
    [['-o', 'wide'], { table: 'Metadata' }],
    [['-o', 'name'], 'metadata'],
    [['-o', 'name', '--predicate', 'labels'], 'metadata'],
    [['-o', 'name', '--changed', '.metadata.labels'], 'metadata'],
    [['-o', 'name', '--filter', 'object.metadata.name == "a"'], 'metadata'],
    [['-o', 'name', '--sort-by', '{.metadata.name}'], 'metadata'],
    [['-o', 'name', '--for', 'delete'], 'metadata'],
    [['-o', 'name', '--for', 'condition=Ready'], 'object'],
    [['-o', 'name', '--until', 'object.spec.x == 1'], 'object'],
    [['-o', 'name', '--fail-if', 'object.status.phase == "Failed"'], 'object'],
    [['-o', 'name', '--sort-by', '.spec.x'], 'object'],
    [['-o', 'name', '--no-noise'], 'object'],
    [['-o', 'name', '--where', 'NAME == "a"'], { table: 'Metadata' }],
    [['--where', 'NAME == "a"', '--filter', 'object.spec.x == 1'], { table: 'Object' }],
    [['--ignore-changes', '.metadata.labels'], { table: 'Object' }],
    [['--predicate', 'status'], { table: 'Object' }],
    [['-o', 'json'], 'object'],
    [['-o', 'jsonpath={.spec}'], 'object'],
    [['-o', 'diff'], 'object'],
    [['-o', 'json', '--where', 'NAME == "a"'], { table: 'Object' }],
  ])('%j', async (flags, as) => {
    expect((await planned(['pods', ...flags])).plan.as).toEqual(as);
  });
});

describe('what does not go together is refused', () => {
  it.each<[string[], string]>([
    [['--live', '-o', 'json'], '--live is a table, and cannot be -o json'],
    [['--live', '--markers'], '--live has no place for --markers'],
    [['--markers', '-o', 'jsonpath={.spec}'], '--markers has no place in -o jsonpath={.spec}'],
    [['--overflow-buffer', '5'], '--overflow-buffer is for --overflow drop'],
    [['--once', '--watch-only'], '--once and --watch-only leave nothing to show'],
    [['--once', '--on', 'modified,deleted'], '--once and --on without added leave nothing to show'],
    [['--on', 'added,deleted', '--predicate', 'spec'], '--predicate does nothing beside --on without modified'],
    [['--on', 'left'], '--on left does nothing without an expression about objects in --filter or --where'],
    [['--on', 'left', '--filter', 'event == "ADDED"'], '--on left does nothing without an expression about objects'],
    [['--timeout', '0'], 'expected more than no time'],
    [['--stays', '3s'], '--stays needs something'],
    [['--where', 'STATUS == "x"'], 'there is no column STATUS'],
    [['-l', 'a in ('], 'unable to parse requirement'],
    [['--name', '('], 'invalid argument "(" for "--name"'],
    [['--on', 'renamed'], 'invalid argument "renamed" for "--on"'],
  ])('%j', async (flags, message) => {
    await expect(planned(['pods', ...flags])).rejects.toMatchObject({
      code: 'argument',
      message: expect.stringContaining(message),
    });
  });
});

describe('a plan', () => {
  it.each<[string[], object]>([
    [
      [],
      {
        once: false,
        namespaces: ['mine'],
        flags: { overflow: 'block', 'show-secrets': false },
        withOld: false,
        showManagedFields: false,
      },
    ],
    [['-A'], { namespaces: [''] }],
    [['-n', 'a,b', '-n', 'a'], { namespaces: ['a', 'b'] }],
    [['--until', 'true', '--timeout', '0'], { once: true }],
    [['-o', 'changes'], { keepManagedFields: true, withOld: true }],
    [
      ['-o', 'json', '--old', '--show-managed-fields'],
      { keepManagedFields: true, withOld: true, showManagedFields: true },
    ],
  ])('of %j', async (flags, expected) => {
    expect((await planned(['pods', ...flags])).plan).toMatchObject(expected);
  });

  it('redraws in place on a terminal, and says so where there is none', async () => {
    const [there, elsewhere] = [
      await planned(['pods', '--live'], { isTerminal: true }),
      await planned(['pods', '--live']),
    ];
    expect([there.plan.live !== undefined, there.notices]).toEqual([true, []]);
    expect([elsewhere.plan.live, elsewhere.notices]).toEqual([
      undefined,
      ['--live needs a terminal; rows are appended instead'],
    ]);
  });

  it('asks the server for what it can do of --filter, by type, and once', async () => {
    const { plan, notices } = await planned([
      'pods',
      'nodes',
      '--once',
      '--explain',
      '--filter',
      'object.spec.nodeName == "n" && object.metadata.labels.a == "b"',
    ]);
    expect(
      [...(plan.pushedDown ?? [])].map(([{ gvr }, narrowing]) => [
        gvr.resource,
        narrowing.labelSelector,
        narrowing.fieldSelector,
      ]),
    ).toEqual([
      ['pods', 'a=b', 'spec.nodeName=n'],
      ['nodes', 'a=b', undefined],
    ]);
    expect(notices.map((notice) => notice.replace(/;.*/, ''))).toEqual([
      '--explain: v1/pods: the server selects by label selector a=b and field selector spec.nodeName=n',
      '--explain: v1/nodes: the server selects by label selector a=b',
    ]);
  });

  it('asks the server for nothing that a stream could take for a deletion, also where rows are printed', async () => {
    const filter = 'object.metadata.name == "a" && object.metadata.labels.a == "b"';
    for (const output of [[], ['-o', 'name'], ['-o', 'json']]) {
      const { plan } = await planned(['pods', '--filter', filter, ...output]);
      expect(
        [...(plan.pushedDown ?? [])].map(([, narrowing]) => [narrowing.labelSelector, narrowing.fieldSelector]),
      ).toEqual([[undefined, 'metadata.name=a']]);
    }
  });

  it.each<[string[], string]>([
    [['--filter', 'event == "ADDED" && object.metadata.labels.a == "b"'], 'or looks at events'],
    [['--filter', 'object.metadata.labels.a == "b"', '--until', 'true'], 'since something waits for objects'],
    [[], 'there is no --filter'],
  ])('leaves the server out of it with %j', async (flags, text) => {
    const { plan, notices } = await planned(['pods', '--explain', ...flags]);
    expect([plan.pushedDown, notices]).toEqual([undefined, [expect.stringContaining(text)]]);
  });
});
