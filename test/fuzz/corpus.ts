import { parseRequest } from '../../src/cli/serve/answer-request.ts';
import { readList } from '../../src/client/decode/list-body.ts';
import { leavesOutEvent } from '../../src/client/decode/unwanted.ts';
import { WatchStream } from '../../src/client/decode/watch-body.ts';
import { WatchDecoder } from '../../src/client/decode/watch-decoder.ts';
import { typesOfAggregated } from '../../src/client/discovery/discovery-aggregated.ts';
import { groupVersionsOf } from '../../src/client/discovery/discovery-legacy.ts';
import { compileCel, OBJECT_VARIABLES } from '../../src/expr/cel/cel.ts';
import { pushDown } from '../../src/expr/cel/push-down.ts';
import { goJson } from '../../src/expr/go-text.ts';
import { parseReply } from '../../src/hooks/reply.ts';
import { Indexer } from '../../src/informer/store/indexer.ts';
import { parseDuration, parseLongDuration } from '../../src/kit/duration.ts';
import { neutralised } from '../../src/kit/escape.ts';
import { parseJson } from '../../src/kit/exact-json.ts';
import { mergePatchOf } from '../../src/kit/merge-patch.ts';
import { sameValue } from '../../src/kit/same-value.ts';
import { cellsOf } from '../../src/model/cells.ts';
import { fieldChanges } from '../../src/model/field-changes.ts';
import { valuesAt } from '../../src/model/field-path.ts';
import { rolloutOf } from '../../src/model/rollout-status.ts';
import { isTooLargeResourceVersion, type Status, StatusError } from '../../src/model/status.ts';
import { volumeClaimsOf } from '../../src/query/index/volume-claims.ts';
import { fieldManagers } from '../../src/stream/changes/field-managers.ts';

/** An input that once broke a rule. */
export interface CorpusEntry {
  readonly title: string;
  /** What the program makes of the input now. */
  readonly answer: () => unknown;
  /** The right answer; for a refusal its code and its message. */
  readonly right: unknown;
}

const GVR = { group: '', version: 'v1', resource: 'pods' };
const ASKED = { gvr: GVR, table: true, dropManagedFields: true };
const TABLE = '"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[{"name":"Name","format":"name"}]';

async function* body(text: string | Buffer): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function watched(text: string): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const batch of new WatchStream(body(`${text}\n`), ASKED)) events.push(...batch);
  return events;
}

function pushed(source: string) {
  const program = compileCel(source, { flag: '--filter', variables: OBJECT_VARIABLES });
  return pushDown(program, { supportedFields: new Set(['spec.n']) });
}

/** Two objects that differ only at this depth. */
const deep = (levels: number, end: number): object =>
  JSON.parse(`${'{"b":1,"a":'.repeat(levels)}${end}${'}'.repeat(levels)}`);

function depthOf(value: unknown): number {
  let depth = 0;
  for (let next = value; typeof next === 'object' && next !== null; depth++) next = (next as { a?: unknown }).a;
  return depth;
}

const ODD_INDEX =
  'unable to calculate an index entry for key "a" on index "odd": it returned a list with number in place of a text';

/** Inputs of defects that the fuzz targets found, so that none comes back. */
export const CORPUS: readonly CorpusEntry[] = [
  {
    title: 'a field __proto__ of a list does not become the prototype of the other fields',
    answer: () => readList(body('{"__proto__":{"kind":"Status","message":"no"},"items":[]}'), ASKED),
    right: { items: [], resourceVersion: '' },
  },
  {
    title: 'a list whose apiVersion is a large number is read',
    answer: async () => {
      const { items } = await readList(
        body('{"kind":"XList","apiVersion":18446744073709551616,"items":[{"a":1}]}'),
        ASKED,
      );
      return items;
    },
    right: [{ kind: 'X', apiVersion: 18446744073709551616n, a: 1 }],
  },
  {
    title: 'an answer whose kind is a map is refused as no list',
    answer: () => readList(body('{"kind":{"toString":1}}'), ASKED),
    right: {
      code: 'decode',
      message: 'the answer to listing v1/pods is not a list but no apiVersion, Kind={"toString":1}',
    },
  },
  {
    title: 'a Table event with a null row is refused as broken',
    answer: () => watched(`{"type":"ADDED","object":{${TABLE},"rows":[null]}}`),
    right: { code: 'decode', message: 'the server sent a table with a row that is not an object but null' },
  },
  {
    title: 'a Table event whose rows are not a list is refused as broken',
    answer: () => watched(`{"type":"ADDED","object":{${TABLE},"rows":{}}}`),
    right: { code: 'decode', message: 'the server sent a table whose rows are not a list' },
  },
  {
    title: 'a Table row about a number is refused as broken',
    answer: () => readList(body(`{${TABLE},"rows":[{"cells":[],"object":7}]}`), ASKED),
    right: { code: 'decode', message: 'the server sent a table with a row about a number and not an object' },
  },
  {
    title: 'a Table row with null as its cells has no cells',
    answer: async () => {
      const { items } = await readList<object>(body(`{${TABLE},"rows":[{"cells":null,"object":{}}]}`), ASKED);
      return items.map((item) => cellsOf(item)?.cells);
    },
    right: [[]],
  },
  {
    title: 'a cell that is a map is not the name of an object',
    answer: async () =>
      structuredClone((await readList(body(`{${TABLE},"rows":[{"cells":[{"toString":1}]}]}`), ASKED)).items),
    right: [{ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: {} }],
  },
  {
    title: 'a watch line of a byte that is no whitespace in JSON is refused',
    answer: () => new WatchDecoder().push(Buffer.from([0xa0, 0x0a])),
    right: { code: 'decode', message: "broken JSON at byte 0 of the response: Unexpected token '\ufffd'" },
  },
  {
    title: 'a uid with a broken escape is refused as broken JSON, also where uids decide which events are decoded',
    answer: () => {
      const decoder = new WatchDecoder({ leavesOut: leavesOutEvent({ by: 'uid', leavesOut: () => true }) });
      return decoder.push(Buffer.from('{"type":"ADDED","object":{"metadata":{"uid":"\\x"}}}\n'));
    },
    right: {
      code: 'decode',
      message: 'broken JSON at byte 0 of the response: Bad escaped character in JSON at position 46 (line 1 column 47)',
    },
  },
  {
    title: 'a duration of more than 292 years is refused, as by Go',
    answer: () => parseDuration('9223372036855h'),
    right: { code: 'argument', message: 'invalid duration "9223372036855h": it is longer than 292 years' },
  },
  {
    title: 'an age of infinite length is refused',
    answer: () => parseLongDuration(`${'9'.repeat(400)}y`),
    right: { code: 'argument', message: `invalid duration "${'9'.repeat(400)}y": it is longer than 292 years` },
  },
  {
    title: 'a name in a list of lists finds no property of JavaScript',
    answer: () => valuesAt([[1, 2], [{ length: 3 }]], ['length']),
    right: [3],
  },
  {
    title: 'a condition != on a number stays here, because a server compares it with texts too',
    answer: () => pushed('object.spec.n != 3'),
    right: { pushed: [], local: 'object.spec.n != 3' },
  },
  {
    title: 'a condition != on a text that could be a number stays here, because a server compares it with numbers too',
    answer: () => pushed('object.spec.n != "3"'),
    right: { pushed: [], local: 'object.spec.n != "3"' },
  },
  {
    title: 'the error of a reply may be a map without a text',
    answer: () => parseReply({ error: { toString: {} } }).error,
    right: '{"toString":{}}',
  },
  {
    title: 'a question to serve with null as its flags is refused',
    answer: () => parseRequest('{"words":[],"given":null}'),
    right: { code: 'argument', message: 'the flags of the question are not values by name' },
  },
  {
    title: 'a question to serve with a number as its namespace is refused',
    answer: () => parseRequest('{"words":[],"namespace":7}'),
    right: { code: 'argument', message: 'the namespace of the question is not a text' },
  },
  {
    title: 'a discovery group without a version in it has no types, and is reported as damaged',
    answer: () =>
      typesOfAggregated({
        kind: 'APIGroupDiscoveryList',
        items: [{ versions: [{ resources: [{ resource: 'x' }] }] }],
      } as never),
    right: { types: [], failures: [{ group: 'core', message: 'its answer is damaged' }] },
  },
  {
    title: 'a singular name and a subresource that are numbers are ignored',
    answer: () => {
      const resource = {
        resource: 'x',
        responseKind: { kind: 'X' },
        singularResource: 7,
        subresources: [{ subresource: 7 }],
      };
      const items = [{ versions: [{ version: 'v1', resources: [resource] }] }];
      const [type] = typesOfAggregated({ kind: 'APIGroupDiscoveryList', items } as never).types;
      return [type?.singular, type?.subresources];
    },
    right: ['x', []],
  },
  {
    title: 'an API group whose name is a number is ignored',
    answer: () =>
      groupVersionsOf({ kind: 'APIGroupList', groups: [{ name: 7, versions: [{ version: 'v1' }] }] } as never),
    right: [],
  },
  {
    title: 'a Status whose parts have other types is an error with a text',
    answer: () => {
      const status = {
        kind: 'Status',
        code: '7',
        message: { toString: 1 },
        details: { causes: 7, retryAfterSeconds: 'x' },
      };
      const error = new StatusError(status as unknown as Status);
      return [error.message, error.retryAfterMs, isTooLargeResourceVersion(error)];
    },
    right: ['the server answered with an error', undefined, false],
  },
  {
    title: 'the wait that a Status asks for is finite',
    answer: () => new StatusError({ kind: 'Status', details: { retryAfterSeconds: 1e306 } }).retryAfterMs,
    right: Number.MAX_SAFE_INTEGER,
  },
  {
    title: 'a merge patch of two deep objects takes a time in proportion to their depth',
    answer: () => depthOf(mergePatchOf(deep(9000, 1), deep(9000, 2))),
    right: 9000,
  },
  {
    title: 'the JSON of a deep object is written in a time in proportion to its length',
    answer: () => {
      const value = JSON.parse(`${'[1,'.repeat(990)}1${']'.repeat(990)}`);
      return [1, 2, 3].map(() => goJson(value, 4).length);
    },
    right: [5_889_511, 5_889_511, 5_889_511],
  },
  {
    title: 'a managed fields entry whose manager is a large number is ignored',
    answer: () => {
      const entry = { manager: 2n ** 64n, fieldsV1: { 'f:spec': {} } };
      const managerOf = fieldManagers({}, { metadata: { managedFields: [entry] } });
      return managerOf({ path: '.spec', steps: [{ kind: 'field', name: 'spec' }], kind: 'added', after: 1 });
    },
    right: undefined,
  },
  {
    title: 'an object whose replicas are a map uses no claims of a template',
    answer: () =>
      volumeClaimsOf({ metadata: { name: 'a' }, spec: { replicas: { toString: [] }, volumeClaimTemplates: [{}] } }),
    right: [undefined, undefined, undefined, undefined],
  },
  {
    title: 'a rollout whose counts are maps waits',
    answer: () =>
      rolloutOf({
        kind: 'Deployment',
        apiVersion: 'apps/v1',
        spec: { replicas: 1 },
        status: { replicas: { toString: 1, valueOf: 1 } },
      }).state,
    right: 'waiting',
  },
  {
    title: 'a field toJSON that is added beside a large number is a change',
    answer: () => {
      const [before, after] = ['{"a":18446744073709551616}', '{"a":18446744073709551616,"toJSON":1}'].map(parseJson);
      return [sameValue(before, after), fieldChanges(before as object, after as object).map(({ path }) => path)];
    },
    right: [false, ['.toJSON']],
  },
  {
    title: 'a merge patch removes a field toJSON, also where a large number comes',
    answer: () => {
      const [before, after] = ['{"toJSON":{}}', '{"a":18446744073709551616}'].map(parseJson) as [object, object];
      return mergePatchOf(before, after);
    },
    right: { a: 18446744073709551616n, toJSON: null },
  },
  {
    title: 'a map with a large number has no field toJSON in CEL',
    answer: () => {
      const vars = {
        object: parseJson('{"a":18446744073709551616}'),
        oldObject: null,
        event: 'ADDED',
        now: new Date(0),
      };
      return ['has(object.toJSON)', '"toJSON" in object', 'object.toJSON == 1'].map((source) =>
        compileCel(source, { flag: '--filter', variables: OBJECT_VARIABLES }).test(vars),
      );
    },
    right: [false, false, false],
  },
  {
    title: 'the invisible controls of shorthand and of musical notation are shown as text',
    answer: () => [neutralised('a\u{1bca0}b'), neutralised('\u{1d17a}'), neutralised('\u{1d11e}')],
    right: ['a\\u{1bca0}b', '\\u{1d17a}', '\u{1d11e}'],
  },
  {
    title: 'an object whose name is a map is not stored',
    answer: () => new Indexer().update({ metadata: { name: { toString: '' } } }),
    right: {
      code: 'store',
      message: "couldn't create key for object: the name of the object is not a text but object",
    },
  },
  {
    title: 'an index function that returns a number is an error of that index, also when the object is written again',
    answer: () => {
      const failures: string[] = [];
      const indexers = { odd: () => [7] as unknown as string[] };
      const indexer = new Indexer({ indexers, onIndexError: ({ message }) => failures.push(message) });
      for (const version of ['1', '2']) indexer.update({ metadata: { name: 'a', resourceVersion: version } });
      return [indexer.size, failures];
    },
    right: [1, Array.from({ length: 2 }, () => ODD_INDEX)],
  },
];
