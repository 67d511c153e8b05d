import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { namesFromServe, namesOfWord, valuesFromServe } from '../../../src/serve/client/serve-names.ts';
import { type FoundServe, servesOf } from '../../../src/serve/find.ts';
import type { AnswerEnd, QueryRequest } from '../../../src/serve/protocol.ts';
import { fakeServe } from '../../support/fake-serve.ts';

let folder: string;
let env: { XDG_RUNTIME_DIR: string };
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'names-'));
  env = { XDG_RUNTIME_DIR: folder };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const PODS = { gvr: { group: '', version: 'v1', resource: 'pods' }, namespaced: true } as ResourceType;
const JOBS = { gvr: { group: 'batch', version: 'v1', resource: 'jobs' }, namespaced: true } as ResourceType;
const NODES = { gvr: { group: '', version: 'v1', resource: 'nodes' }, namespaced: false } as ResourceType;

/** Asks a serve that answers with this text; the result, and the question that it got. */
async function asking<T>(
  text: string,
  ask: (serve: FoundServe, signal: AbortSignal) => Promise<T>,
  end: AnswerEnd = { exitCode: 0 },
) {
  const questions: QueryRequest[] = [];
  await using _ = await fakeServe(env, {
    answer: async (question, outlet) => {
      questions.push(question);
      await outlet.write(text);
      return end;
    },
  });
  const result = await ask(servesOf(env)[0] as FoundServe, new AbortController().signal);
  const [{ words = [], given = {}, config } = {}] = questions;
  const flags = Object.fromEntries(Object.entries(given).map(([name, { values }]) => [name, values]));
  return { result, words, flags, indexes: config?.indexes, questions };
}

describe.skipIf(process.platform === 'win32')('the names of objects', () => {
  const names =
    (type: ResourceType, namespaces: string[], prefix = '') =>
    (serve: FoundServe, signal: AbortSignal) =>
      namesFromServe(serve, type, { namespaces, prefix, limit: 50 }, signal);

  it('are those that the serve has in the namespaces, without their type', async () => {
    const { result, words, flags } = await asking('pod/web-1\npod/web-2\n', names(PODS, ['shop', 'db']));
    expect(result).toEqual(['web-1', 'web-2']);
    expect(words).toEqual(['v1/pods']);
    expect(flags).toEqual({ namespace: ['shop', 'db'], output: ['name'], limit: ['50'] });
  });

  it('are asked for as text for a program: for no terminal, and with no variables of the user', async () => {
    const { questions } = await asking('', names(PODS, ['shop']));
    expect(questions).toMatchObject([{ terminal: { isTerminal: false } }]);
    expect(questions[0]?.env).toEqual({});
  });

  it.each<[string[] | undefined, Record<string, string[]>]>([
    [undefined, {}],
    [[], {}],
    [[''], { 'all-namespaces': ['true'] }],
    [['shop'], { namespace: ['shop'] }],
  ])('are asked for by a word of the user, in the namespaces %j', async (namespaces, where) => {
    const { result, words, flags } = await asking('pod/web-1\n', (serve, signal) =>
      namesOfWord(serve, 'po', { namespaces, prefix: 'w.b', limit: 50 }, signal),
    );
    expect([result, words]).toEqual([['web-1'], ['po']]);
    expect(flags).toEqual({ ...where, output: ['name'], limit: ['50'], name: [String.raw`^w\.b`] });
  });

  it('are asked for in all namespaces, and of a type without namespaces in none', async () => {
    expect((await asking('', names(PODS, ['']))).flags).toEqual({
      'all-namespaces': ['true'],
      output: ['name'],
      limit: ['50'],
    });
    expect((await asking('', names(NODES, ['shop']))).flags).toEqual({ output: ['name'], limit: ['50'] });
  });

  it('begin with the prefix, whatever characters it has', async () => {
    const { result, flags } = await asking('pod/a.b\n', names(PODS, ['shop'], 'a.b'));
    expect([result, flags.name]).toEqual([['a.b'], ['^a\\.b']]);
  });

  it('are not known where the serve cannot answer or has ended', async () => {
    expect((await asking('pod/a\n', names(PODS, ['shop']), { exitCode: 1 })).result).toBeUndefined();
    const unserved = { exitCode: 0, unserved: 'it does not hold pods' };
    expect((await asking('', names(PODS, ['shop']), unserved)).result).toBeUndefined();
    const serve = { folder, socket: path.join(folder, 'none'), about: { pid: 1, protocol: 2 } } as FoundServe;
    expect(await names(PODS, ['shop'])(serve, new AbortController().signal)).toBeUndefined();
  });
});

describe.skipIf(process.platform === 'win32')('the values of an index', () => {
  const values =
    (types: ResourceType[], more: { declared?: string[]; named?: Record<string, string> } = {}) =>
    (serve: FoundServe, signal: AbortSignal) =>
      valuesFromServe(
        serve,
        { types, namespaces: ['shop'], index: 'node', declared: [], named: {}, ...more, limit: 20 },
        signal,
      );

  it('have the number of objects of each, and lines without a value are left out', async () => {
    const lines = [{ value: 'n1', count: 1 }, { value: 'n2', count: 3 }, { value: 7, count: 1 }, { count: 2 }];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const { result, words, flags, indexes } = await asking(text, values([PODS, JOBS]));
    expect(result).toEqual([
      { value: 'n1', about: '1 object' },
      { value: 'n2', about: '3 objects' },
    ]);
    expect(words).toEqual(['v1/pods,batch/v1/jobs']);
    expect(flags).toEqual({ namespace: ['shop'], values: ['node'], output: ['ndjson'], limit: ['20'] });
    expect(indexes).toEqual({});
  });

  it('are asked for with the indexes of the line and of the file', async () => {
    const more = { declared: ['a=.x', 'b=.y'], named: { node: '.spec.nodeName' } };
    const { flags, indexes } = await asking('', values([PODS, NODES], more));
    expect([flags.index, flags.namespace, indexes]).toEqual([['a=.x', 'b=.y'], ['shop'], { node: '.spec.nodeName' }]);
  });

  it('are none without a type, of which nothing is asked, and none where the serve cannot answer', async () => {
    const none = await asking('', values([]));
    expect([none.result, none.questions]).toEqual([[], []]);
    expect((await asking('', values([PODS]), { exitCode: 1 })).result).toEqual([]);
  });
});
