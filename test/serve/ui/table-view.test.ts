import { describe, expect, it } from 'vitest';
import type { InformerError } from '../../../src/kit/error.ts';
import { type TableColumn, withCells } from '../../../src/model/cells.ts';
import type { ReadonlyObject, UnknownObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/resource-type.ts';
import { TableView } from '../../../src/serve/ui/table-view.ts';
import type { UiCache, UiProgram } from '../../../src/serve/ui/ui-program.ts';
import type { UiQuery } from '../../../src/serve/ui/wire.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { uiProgram } from '../../support/ui.ts';

const column = (name: string, priority = 0): TableColumn => ({ name, type: 'string', format: '', priority });
const COLUMNS = [column('Name'), column('Status'), column('Age')];
const CREATED = '2026-01-02T03:04:05Z';

const pod = (name: string, metadata: object = {}, columns = COLUMNS, cells: unknown[] = [name, 'Running', '5m']) =>
  withCells({ metadata: { name, namespace: 'shop', creationTimestamp: CREATED, ...metadata } } as UnknownObject, {
    columns,
    cells,
  });

interface Scene {
  readonly objects?: readonly ReadonlyObject[];
  readonly resource?: string | undefined;
  readonly compile?: UiProgram['compile'];
}

/** A view of a type of which these objects are cached. */
function viewOf(question: Partial<UiQuery> = {}, { objects = [], resource = 'pods', ...own }: Scene = {}) {
  const type = { gvr: { group: '', version: 'v1', resource }, kind: 'Pod', namespaced: true } as ResourceType;
  const cache = { id: `v1/${resource}`, type, informer: { lister: { values: () => objects.values() } } };
  const clock = new FakeClock(Date.parse(CREATED) + 60_000);
  const program = { ...uiProgram([cache as unknown as UiCache], { clock }), ...own };
  return TableView.of(program, { type: `v1/${resource}`, ...question });
}

describe('a row', () => {
  it('has the cells of the server with the letters of their states, and the time of creation in place of the age', async () => {
    const view = await viewOf();
    const object = pod('a', {}, COLUMNS, ['a', 'CrashLoopBackOff', '5m']);
    expect(view.takeColumns(object)).toBe(true);
    expect(view.columns).toEqual([
      { heading: 'NAMESPACE', isWide: false, isAge: false },
      { heading: 'NAME', isWide: false, isAge: false },
      { heading: 'STATUS', isWide: false, isAge: false },
      { heading: 'AGE', isWide: false, isAge: true },
    ]);
    expect(view.row('shop/a', object)).toEqual([
      'shop/a',
      ['shop', 'a', 'CrashLoopBackOff', ''],
      '  b',
      Date.parse(CREATED),
    ]);
  });

  it.each([
    ['without a time of creation', undefined],
    ['whose time of creation is no time', 'yesterday'],
  ])('of an object %s has its age as the server printed it', async (_, creationTimestamp) => {
    const view = await viewOf();
    const object = pod('a', { creationTimestamp });
    view.takeColumns(object);
    expect(view.row('shop/a', object)).toEqual(['shop/a', ['shop', 'a', 'Running', '5m'], '  g', null]);
  });

  it('has at most 300 characters of a cell, and shows that it is cut', async () => {
    const view = await viewOf();
    const cellOf = (length: number) => {
      const object = pod('a', {}, COLUMNS, ['a', 'x'.repeat(length), '5m']);
      view.takeColumns(object);
      return view.row('shop/a', object)[1][2];
    };
    expect([cellOf(300), cellOf(301)]).toEqual(['x'.repeat(300), `${'x'.repeat(300)}…`]);
  });

  it('of an object whose type had other columns then has its cells under the same headings', async () => {
    const view = await viewOf();
    const older = pod('a', {}, [column('Status'), column('Name'), column('Gone')], ['Pending', 'a', 'x']);
    const columns = [column('Name'), column('Age'), column('New'), column('Status')];
    for (const object of [older, pod('b', {}, columns, ['b', '5m', 'y', 'Pending'])]) view.takeColumns(object);
    expect(view.row('shop/a', older).slice(1, 3)).toEqual([['shop', 'a', '', '', 'Pending'], '    w']);
    // a list of columns that no object has been taken with
    expect(view.row('shop/b', pod('b', {}, [column('Name')], ['b']))[1]?.[1]).toBe('b');
  });
});

it('columns are new once for their content: not the same list again, nor another list with the same columns', async () => {
  const view = await viewOf();
  const takes = (columns: TableColumn[]) => view.takeColumns(pod('a', {}, columns));
  expect(view.takeColumns({ metadata: { name: 'without-a-row' } })).toBe(false);
  expect([takes(COLUMNS), takes(COLUMNS), takes([...COLUMNS])]).toEqual([true, false, false]);
  expect([takes([column('Name')]), takes(COLUMNS)]).toEqual([true, false]);
});

describe('an object is found', () => {
  const names = async (question: Partial<UiQuery>, objects: readonly UnknownObject[]) => {
    const view = await viewOf(question);
    return objects.filter((object) => view.matches(object)).map(({ metadata }) => metadata.name);
  };
  const objects = [
    pod('web-1', { labels: { app: 'web' } }),
    pod('web-2', { labels: { app: 'web' }, namespace: 'shop-2' }),
    pod('db', { namespace: undefined }),
  ];

  it.each<[string, Partial<UiQuery>, string[]]>([
    ['by its whole namespace', { namespace: 'shop' }, ['web-1']],
    ['by all words of its key, in any case', { name: ' WEB  shop-' }, ['web-2']],
    ['by its labels', { selector: 'app=web,app!=db' }, ['web-1', 'web-2']],
    ['by a value of an index', { index: { name: 'namespace', value: 'shop-2' } }, ['web-2']],
    ['when every expression holds', { where: 'NAME != "web-1"', filter: '"labels" in object.metadata' }, ['web-2']],
    [
      'by none of the texts when all are empty',
      { namespace: '', name: '', selector: '', where: '', filter: '' },
      [...['web-1', 'web-2', 'db']],
    ],
  ])('%s', async (_, question, expected) => {
    expect(await names(question, objects)).toEqual(expected);
  });

  it('by any spelling that a value of an index stands for', async () => {
    const owned = pod('a', { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u' }] });
    const by = (value: string) => names({ index: { name: 'owner', value } }, [owned, pod('b')]);
    expect([await by('Node/n1'), await by('u'), await by('n2')]).toEqual([['a'], ['a'], []]);
  });
});

it.each<[Partial<UiQuery>, boolean]>([
  [{}, false],
  [{ filter: 'object.metadata.name == "a"' }, false],
  [{ filter: 'now > timestamp(object.metadata.creationTimestamp)' }, true],
  [{ where: 'AGE > duration("5m")' }, true],
  [{ where: '' }, false],
])('of the question %j the answer changes with the time alone: %j', async (question, expected) => {
  expect((await viewOf(question)).readsTime).toBe(expected);
});

describe('the remark about a question', () => {
  /** A view whose expression answers as given, one answer for each object. */
  const answering = (answers: readonly { answer?: boolean | Error; remark?: string }[], resource?: string) => {
    const rest = [...answers];
    const condition = () => ({
      source: '',
      readsEvent: false,
      test: () => rest[0]?.answer ?? true,
      remark: () => rest.shift()?.remark,
    });
    return viewOf(
      { filter: 'of the test' },
      { resource, compile: async () => ({ conditions: [condition(), condition()] }) },
    );
  };

  it('is the first one of its expressions, and none without', async () => {
    const view = await answering([{}, { remark: 'first' }, { remark: 'second' }, {}]);
    for (let i = 0; i < 2; i++) expect(view.matches(pod('a'))).toBe(true);
    expect(view.remark).toBe('first');
    expect((await answering([])).remark).toBeUndefined();
  });

  it('is the first error when an expression fails, and an object on which it fails is no match', async () => {
    const [first, second] = [new Error('first'), new Error('second')] as const;
    const view = await answering([{ answer: first }, { remark: 'a remark' }, { answer: second }]);
    expect([view.matches(pod('a')), view.matches(pod('b'))]).toEqual([false, false]);
    expect(view.remark).toBe('first; an object on which an expression fails counts as no match');
  });

  it('has no error about Secrets, which may quote a value', async () => {
    const view = await answering([{ answer: new Error('value') }], 'secrets');
    view.matches(pod('a'));
    expect(view.remark).toBe('an expression failed; an object on which an expression fails counts as no match');
  });
});

describe('a question', () => {
  const boxes = ['where', 'filter', 'selector', 'name', 'index name', 'index value'] as const;

  it.each(boxes)('may have 10,000 characters in the box %s, and no more', async (box) => {
    const refused = async (length: number) => {
      const text = 'x'.repeat(length);
      const index = { name: box === 'index name' ? text : 'node', value: box === 'index value' ? text : '' };
      const question = box.startsWith('index') ? { index } : { [box]: text };
      const error = await viewOf(question).catch((each: InformerError) => each);
      return error instanceof Error && /longer than 10000/.test(error.message);
    };
    expect([await refused(10_000), await refused(10_001)]).toEqual([false, true]);
  });

  it('that names no column of the server is refused as soon as an object has shown the columns', async () => {
    const question = { where: 'NOPE == "x"' };
    await expect(viewOf(question, { objects: [pod('a')] })).rejects.toThrow('--where: there is no column NOPE');
    await expect(viewOf(question)).resolves.toBeDefined();
  });

  it.each<[Partial<UiQuery>, RegExp, string]>([
    [{ selector: 'a in (' }, /^--selector: /, ''],
    [{ index: { name: 'nodes', value: 'n' } }, /^--index: there is no index named "nodes"/, 'the indexes are'],
  ])('%j is refused with the name of its box, and what to do', async (question, message, hint) => {
    const error = await viewOf(question).catch((each: InformerError) => each);
    expect(error).toMatchObject({ code: 'argument', message: expect.stringMatching(message) });
    expect((error as InformerError).hint ?? '').toContain(hint);
  });

  it('about a type that is not cached is refused with those that are', async () => {
    await expect(viewOf({ type: 'v1/pads' })).rejects.toMatchObject({ hint: 'it has v1/pods' });
  });
});
