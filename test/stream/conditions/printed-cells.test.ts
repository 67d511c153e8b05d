import { describe, expect, it } from 'vitest';
import { compileCel } from '../../../src/expr/cel/cel.ts';
import { type InformerError, isInformerError } from '../../../src/kit/error.ts';
import { HugeNumber } from '../../../src/kit/exact-json.ts';
import { type TableColumn, withCells } from '../../../src/model/cells.ts';
import type { UnknownObject } from '../../../src/model/object.ts';
import { CellComparison } from '../../../src/stream/conditions/cell-comparison.ts';
import {
  type AroundColumns,
  checkWhere,
  PrintedCells,
  printedColumns,
} from '../../../src/stream/conditions/printed-cells.ts';

/**
 * Every table of a kube-apiserver 1.36: type, its columns (`name:type:format`, only a name means text), the variables
 * and their types.
 */
const RECORDED: readonly (readonly [type: string, columns: string, variables: string])[] = [
  [
    'pods',
    'Name:string:name|Ready|Status|Restarts|Age|IP|Node|Nominated Node|Readiness Gates',
    'NAME name, READY, STATUS, RESTARTS, AGE duration, IP, NODE, NOMINATED_NODE, READINESS_GATES',
  ],
  [
    'deployments',
    'Name:string:name|Ready|Up-to-date|Available|Age|Containers|Images|Selector',
    'NAME name, READY, UP_TO_DATE, AVAILABLE, AGE duration, CONTAINERS, IMAGES, SELECTOR',
  ],
  ['namespaces', 'Name:string:name|Status|Age', 'NAME name, STATUS, AGE duration'],
  ['configmaps', 'Name:string:name|Data|Age', 'NAME name, DATA, AGE duration'],
  ['leases', 'Name:string:name|Holder|Age', 'NAME name, HOLDER, AGE duration'],
  [
    'events',
    'Last Seen|Type|Reason|Object|Subobject|Source|Message|First Seen|Count|Name:string:name',
    'LAST_SEEN, TYPE, REASON, OBJECT, SUBOBJECT, SOURCE, MESSAGE, FIRST_SEEN, COUNT, NAME name',
  ],
  [
    'services',
    'Name:string:name|Type|Cluster-IP|External-IP|Port(s)|Age|Selector',
    'NAME name, TYPE, CLUSTER_IP, EXTERNAL_IP, PORT_S_, AGE duration, SELECTOR',
  ],
  [
    'nodes',
    'Name:string:name|Status|Roles|Age|Version|Internal-IP|External-IP|OS-Image|Kernel-Version|Container-Runtime',
    'NAME name, STATUS, ROLES, AGE duration, VERSION, INTERNAL_IP, EXTERNAL_IP, OS_IMAGE, KERNEL_VERSION, CONTAINER_RUNTIME',
  ],
  ['secrets', 'Name:string:name|Type|Data|Age', 'NAME name, TYPE, DATA, AGE duration'],
  ['serviceaccounts', 'Name:string:name|Age', 'NAME name, AGE duration'],
  [
    'persistentvolumeclaims',
    'Name:string:name|Status|Volume|Capacity|Access Modes|StorageClass|VolumeAttributesClass|Age|VolumeMode',
    'NAME name, STATUS, VOLUME, CAPACITY, ACCESS_MODES, STORAGECLASS, VOLUMEATTRIBUTESCLASS, AGE duration, VOLUMEMODE',
  ],
  [
    'persistentvolumes',
    'Name:string:name|Capacity|Access Modes|Reclaim Policy|Status|Claim|StorageClass|VolumeAttributesClass|Reason|Age|VolumeMode',
    'NAME name, CAPACITY, ACCESS_MODES, RECLAIM_POLICY, STATUS, CLAIM, STORAGECLASS, VOLUMEATTRIBUTESCLASS, REASON, AGE duration, VOLUMEMODE',
  ],
  [
    'endpointslices',
    'Name:string:name|AddressType|Ports|Endpoints|Age',
    'NAME name, ADDRESSTYPE, PORTS, ENDPOINTS, AGE duration',
  ],
  [
    'replicasets',
    'Name:string:name|Desired:integer|Current:integer|Ready:integer|Age|Containers|Images|Selector',
    'NAME name, DESIRED number, CURRENT number, READY number, AGE duration, CONTAINERS, IMAGES, SELECTOR',
  ],
  [
    'statefulsets',
    'Name:string:name|Ready|Age|Containers|Images',
    'NAME name, READY, AGE duration, CONTAINERS, IMAGES',
  ],
  [
    'daemonsets',
    'Name:string:name|Desired:integer|Current:integer|Ready:integer|Up-to-date:integer|Available:integer|Node Selector|Age|Containers|Images|Selector',
    'NAME name, DESIRED number, CURRENT number, READY number, UP_TO_DATE number, AVAILABLE number, NODE_SELECTOR, AGE duration, CONTAINERS, IMAGES, SELECTOR',
  ],
  [
    'jobs',
    'Name:string:name|Status|Completions|Duration|Age|Containers|Images|Selector',
    'NAME name, STATUS, COMPLETIONS, DURATION, AGE duration, CONTAINERS, IMAGES, SELECTOR',
  ],
  [
    'cronjobs',
    'Name:string:name|Schedule|Timezone|Suspend:boolean|Active:integer|Last Schedule|Age|Containers|Images|Selector',
    'NAME name, SCHEDULE, TIMEZONE, SUSPEND boolean, ACTIVE number, LAST_SCHEDULE, AGE duration, CONTAINERS, IMAGES, SELECTOR',
  ],
  [
    'ingresses',
    'Name:string:name|Class|Hosts|Address|Ports|Age',
    'NAME name, CLASS, HOSTS, ADDRESS, PORTS, AGE duration',
  ],
  ['networkpolicies', 'Name:string:name|Pod-Selector|Age', 'NAME name, POD_SELECTOR, AGE duration'],
  [
    'horizontalpodautoscalers',
    'Name:string:name|Reference|Targets|MinPods|MaxPods|Replicas|Age',
    'NAME name, REFERENCE, TARGETS, MINPODS, MAXPODS, REPLICAS, AGE duration',
  ],
  ['roles', 'Name:string:name|Created At:date', 'NAME name, CREATED_AT duration'],
  ['clusterroles', 'Name:string:name|Created At:date', 'NAME name, CREATED_AT duration'],
  [
    'rolebindings',
    'Name:string:name|Role|Age|Users|Groups|ServiceAccounts',
    'NAME name, ROLE, AGE duration, USERS, GROUPS, SERVICEACCOUNTS',
  ],
  [
    'clusterrolebindings',
    'Name:string:name|Role|Age|Users|Groups|ServiceAccounts',
    'NAME name, ROLE, AGE duration, USERS, GROUPS, SERVICEACCOUNTS',
  ],
  [
    'storageclasses',
    'Name:string:name|Provisioner|ReclaimPolicy|VolumeBindingMode|AllowVolumeExpansion|Age',
    'NAME name, PROVISIONER, RECLAIMPOLICY, VOLUMEBINDINGMODE, ALLOWVOLUMEEXPANSION, AGE duration',
  ],
  [
    'poddisruptionbudgets',
    'Name:string:name|Min Available|Max Unavailable|Allowed Disruptions:integer|Age',
    'NAME name, MIN_AVAILABLE, MAX_UNAVAILABLE, ALLOWED_DISRUPTIONS number, AGE duration',
  ],
  ['customresourcedefinitions', 'Name:string:name|Created At:date', 'NAME name, CREATED_AT duration'],
];

function columnsOf(text: string): TableColumn[] {
  return text.split('|').map((column) => {
    const [name = '', type = 'string', format = ''] = column.split(':');
    return { name, type, format, priority: 0 };
  });
}

const columnsOfType = (type: string) => columnsOf(RECORDED.find(([name]) => name === type)?.[1] ?? '');

const NOW = Date.parse('2026-03-01T12:00:00Z');

function row(
  columns: readonly TableColumn[],
  cells: readonly unknown[],
  metadata: UnknownObject['metadata'] = {},
): UnknownObject {
  return withCells(
    { metadata: { name: 'web-1', namespace: 'shop', creationTimestamp: '2026-03-01T10:00:00Z', ...metadata } },
    { columns, cells },
  );
}

const where = (source: string, comparison = new CellComparison(source)) =>
  compileCel(source, { flag: '--where', variables: {}, unlisted: true, wants: 'bool', comparison });

function answer(
  source: string,
  columns: readonly TableColumn[],
  cells: readonly unknown[],
  metadata?: UnknownObject['metadata'],
) {
  const program = where(source);
  checkWhere(program, columns);
  return program.test(new PrintedCells(columns).variablesFor(row(columns, cells, metadata), NOW, 'ADDED'));
}

function refusalOf(source: string, columns?: readonly TableColumn[]) {
  try {
    checkWhere(where(source), columns);
  } catch (error) {
    if (isInformerError(error, 'argument')) return error;
    throw error;
  }
  throw new Error(`${source} was not refused`);
}

describe('every recorded column has a variable and a type', () => {
  it.each(RECORDED)('%s', (_, columns, variables) => {
    const found = printedColumns(columnsOf(columns)).map(({ name, type }) =>
      type === 'cell' ? name : `${name} ${type}`,
    );
    expect(found.join(', ')).toBe(variables);
  });

  it.each(RECORDED)('of %s can be named in an expression, and no two have the same name', (_, columns) => {
    const names = printedColumns(columnsOf(columns)).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(() => checkWhere(where(`${name} != "x"`), columnsOf(columns))).not.toThrow();
  });
});

it('a cell of a duration that is no text is itself', () => {
  const columns = columnsOf('Name:string:name|Created At:date');
  const variables = new PrintedCells(columns).variablesFor(row(columns, ['a', 7]), NOW, 'ADDED');
  expect((variables as { CREATED_AT?: unknown }).CREATED_AT).toBe(7);
});

const POD = ['web-1', '1/2', 'CrashLoopBackOff', '5 (3m ago)', '2h', '10.0.0.7', 'n1', '<none>', '<none>'];

describe('the cells of a row answer an expression', () => {
  it.each([
    ['STATUS == "CrashLoopBackOff" && RESTARTS > 3', true],
    ['RESTARTS == 5', true],
    ['RESTARTS > 5', false],
    ['READY == "1/2"', true],
    ['READY.startsWith("1/")', true],
    ['IP.startsWith("10.0.") && IP > "10"', true],
    ['NODE in ["n1", "n2"]', true],
    ['NOMINATED_NODE == "<none>"', true],
    ['cells["NOMINATED NODE"] == "<none>" && cells["RESTARTS"] > 3', true],
    ['cells["EVENT"] == "ADDED" && cells["NAMESPACE"] == "shop"', true],
    ['NAME.matches("^web-[0-9]+$") && NAMESPACE == "shop" && EVENT == "ADDED"', true],
    ['AGE > duration("1h")', true],
    ['AGE > duration("3h")', false],
    ['AGE > "90m" && AGE < "1d"', true],
    ['AGE == duration("2h")', true],
    ['NODE > 3 || true', true],
    ['NOMINATED_NODE > 3', false],
    ['!(NOMINATED_NODE > 3)', true],
    ['READINESS_GATES < duration("1h")', false],
  ])('of pods: %s is %s', (source, expected) => {
    expect(answer(source, columnsOfType('pods'), POD)).toBe(expected);
  });

  it.each([
    ['deployments', ['web', '0/5', 0, 3, '0s', 'c', 'nginx', 'app=web'], 'UP_TO_DATE < AVAILABLE && READY == "0/5"'],
    ['deployments', ['web', '0/5', 0, 3, '0s', 'c', 'nginx', 'app=web'], 'cells["UP-TO-DATE"] == 0'],
    ['replicasets', ['web-5f', 3, 3, 1, '0s', 'c', 'nginx', 'app=web'], 'READY < DESIRED'],
    [
      'daemonsets',
      ['ds', 1, 1, 0, 1, 0, 'disk=ssd', '1m', 'c', 'nginx', 'x=y'],
      'NODE_SELECTOR == "disk=ssd" && UP_TO_DATE == 1',
    ],
    [
      'services',
      ['kubernetes', 'ClusterIP', '10.0.0.1', '<none>', '443/TCP', '22s', '<none>'],
      'PORT_S_ == "443/TCP" && EXTERNAL_IP == "<none>"',
    ],
    ['configmaps', ['cm', 1, '0s'], 'DATA == 1'],
    [
      'events',
      ['324d', 'Warning', 'BackOff', 'pod/web-1', '', 'kubelet', 'no', '2y10d', 7, 'e.1'],
      'TYPE == "Warning" && COUNT > 6',
    ],
    [
      'events',
      ['5m', 'Warning', 'BackOff', 'pod/web-1', '', 'kubelet', 'no', '2y10d', 7, 'e.1'],
      'LAST_SEEN < duration("10m")',
    ],
    [
      'cronjobs',
      ['c', '* * * * *', '<none>', false, 0, '<none>', '1d', 'c', 'i', '<none>'],
      '!SUSPEND && ACTIVE == 0 && LAST_SCHEDULE == "<none>"',
    ],
    [
      'horizontalpodautoscalers',
      ['h', 'Deployment/web', 'cpu: <unknown>/50%', '<unset>', '10', 3, '1d'],
      'MAXPODS == 10 && !(MINPODS > 1)',
    ],
    [
      'persistentvolumeclaims',
      ['p', 'Bound', 'v', '10Gi', 'RWO', 'std', '<unset>', '1d', 'F'],
      'quantity(CAPACITY).isLessThan(quantity("1Ti"))',
    ],
    ['roles', ['admin', '2026-03-01T11:00:00Z'], 'CREATED_AT == duration("1h")'],
    ['jobs', ['j', 'Complete', '1/1', '5s', '1d', 'c', 'i', 'x'], 'DURATION == "5s" && COMPLETIONS == "1/1"'],
  ])('of %s %j: %s', (type, cells, source) => {
    expect(answer(source, columnsOfType(type), cells)).toBe(true);
  });

  it('as of the time of asking, whatever age the row was sent with', () => {
    const columns = columnsOfType('pods');
    const cells = new PrintedCells(columns);
    const object = row(columns, POD);
    const program = where('AGE > duration("150m")');
    expect(program.test(cells.variablesFor(object, NOW))).toBe(false);
    expect(program.test(cells.variablesFor(object, NOW + 3_600_000))).toBe(true);
  });

  it('as of the time of asking, whatever another cell said when the row was sent', () => {
    const columns = columnsOf('Last Seen|Name:string:name');
    const object = withCells({ metadata: {} } as UnknownObject, { columns, cells: ['0s', 'e'], at: NOW });
    const program = where('LAST_SEEN < "10m"');
    const cells = new PrintedCells();
    expect(program.test(cells.variablesFor(object, NOW))).toBe(true);
    expect(program.test(cells.variablesFor(object, NOW + 3_600_000))).toBe(false);
  });

  it('the cell has the age if the object has none', () => {
    const columns = columnsOfType('pods');
    expect(answer('AGE > duration("119m")', columns, POD, { creationTimestamp: null })).toBe(true);
    expect(
      answer('AGE > duration("1m")', columns, [...POD.slice(0, 4), '<unknown>'], { creationTimestamp: null }),
    ).toBe(false);
  });

  it('an age that neither the object nor a cell has is the empty text', () => {
    const columns = columnsOfType('pods');
    expect(answer('AGE == ""', columns, POD.slice(0, 4), { creationTimestamp: null })).toBe(true);
  });

  it('a name is text, though it be a number', () => {
    const columns = columnsOfType('pods');
    expect(answer('NAME == "42"', columns, ['42', ...POD.slice(1)], { name: '42' })).toBe(true);
  });

  it('a date column of a custom resource is sent as a text by the server', () => {
    const columns = columnsOf('Name:string:name|Expires:date|Score:number|On:boolean');
    expect(answer('EXPIRES > duration("3d") && SCORE < 1 && ON', columns, ['a', '3d4h', 0.5, true])).toBe(true);
    expect(answer('EXPIRES > duration("1s") || SCORE > 0 || ON', columns, ['a', '<unknown>', null, null])).toBe(false);
  });

  it('a cell that is text in one row and a number in another fails in none', () => {
    const columns = columnsOf('Name:string:name|Port');
    const program = where('PORT > 79');
    const cells = new PrintedCells(columns);
    const answers = ['80', '<none>', '', '<unset>', '8080'].map((port) =>
      program.test(cells.variablesFor(row(columns, ['a', port]), NOW)),
    );
    expect(answers).toEqual([true, false, false, false, true]);
  });

  it('but a text that cannot be ordered with a number is reported', () => {
    const found = answer('READY > 1', columnsOfType('pods'), POD);
    expect(found).not.toBe(false);
    expect(String(found)).toContain('--where: cannot compare string with int');
  });

  it('the columns of a row win over those that were known before', () => {
    const cells = new PrintedCells(columnsOfType('pods'));
    const columns = columnsOf('Name:string:name|Status|Phase');
    expect(where('PHASE == "x"').test(cells.variablesFor(row(columns, ['a', 'b', 'x']), NOW))).toBe(true);
  });

  it('each row has the variables of its own columns, whichever row came before', () => {
    const [pods, phases] = [columnsOfType('pods'), columnsOf('Name:string:name|Status|Phase')];
    const cells = new PrintedCells(pods);
    const rows = [row(pods, POD), row(phases, ['a', 'b', 'x']), row(pods, POD)];
    const nodes = rows.map((object) => (cells.variablesFor(object, NOW) as { NODE?: unknown }).NODE);
    expect(nodes).toEqual(['n1', undefined, 'n1']);
  });

  it('without a table there are name and age', () => {
    const object = { metadata: { name: 'a', creationTimestamp: '2026-03-01T11:00:00Z' } };
    const program = where('NAME == "a" && AGE == duration("1h") && NAMESPACE != "x"');
    checkWhere(program);
    expect(program.test(new PrintedCells().variablesFor(object, NOW))).toBe(true);
    expect(where('NAME == "a" && AGE == duration("1h")').test(new PrintedCells().variablesFor(object, NOW))).toBe(true);
  });
});

describe('a cell has the printed value', () => {
  const gadgets = columnsOf('Name:string:name|Cond|Score:number|On:boolean|When:date|Size|Last');
  const cells = (...rest: unknown[]) => ['g', ...rest];

  it.each<[string, readonly unknown[], boolean]>([
    ['COND != "True"', cells('', null, null, null), true],
    ['COND != "True"', cells(null, null, null, null), true],
    ['COND != "True"', cells(), true],
    ['COND != "True"', cells('False', 1, true, '1h'), true],
    ['COND != "True"', cells('True', 1, true, '1h'), false],
    ['COND == "" && SCORE == "" && ON == "" && WHEN == "" && SIZE == ""', cells(null, null, null, null, null), true],
    ['cells["COND"] == "" && cells["ON"] == ""', cells(null, null, null), true],
    ['COND in ["", "False"]', cells(null), true],
    ['!COND.startsWith("T") && size(COND) == 0', cells(null), true],
    ['SCORE < 1 || SCORE > 1 || SCORE == 0', cells('', null, null, null), false],
    ['ON || ON == false || ON == true || ON == "false"', cells('', 0, null, null), false],
    ['!ON && ON != true', cells('', 0, null, null), true],
    ['COND < "a" || COND > "a" || WHEN < "10m" || WHEN > "10m"', cells('', 0, true, null), false],
  ])('an empty cell is the empty text, and has no order: %s of %j is %s', (source, row, expected) => {
    expect(answer(source, gadgets, row)).toBe(expected);
  });

  it('NAMESPACE of an object that is in none is the empty text', () => {
    const object = withCells({ metadata: { name: 'g' } }, { columns: gadgets, cells: cells() });
    const program = where('NAMESPACE == "" && cells["NAMESPACE"] == ""');
    expect(program.test(new PrintedCells(gadgets).variablesFor(object, NOW))).toBe(true);
  });

  it('but a column that the row has not is missing, and equals nothing', () => {
    const program = where('OTHER == "" || OTHER != "x"');
    expect(program.test(new PrintedCells(gadgets).variablesFor(row(gadgets, cells('x')), NOW))).toBe(false);
  });

  it.each<[string, readonly unknown[], boolean]>([
    ['ON == "true" && ON == true && ON', cells('', 0, true, null), true],
    ['ON == "false" && ON == false && ON != "true" && ON != true', cells('', 0, false, null), true],
    ['"true" == ON && ON in ["true"]', cells('', 0, true, null), true],
    ['COND == "True" && COND != "true"', cells('True', 0, true, null), true],
    ['SCORE == "3" && SCORE > "2" && "10" > SCORE', cells('', 3, true, null), true],
    ['SIZE == "3" && SIZE > "2" && SIZE < "10"', cells('', 3, true, null, '3 (5m ago)'), true],
  ])('a boolean equals its text, a number its digits: %s of %j is %s', (source, row, expected) => {
    expect(answer(source, gadgets, row)).toBe(expected);
  });

  it.each<[string, unknown, boolean]>([
    ['LAST > "1m"', '100s', true],
    ['LAST > "1m"', '165m', true],
    ['LAST > "1m"', '59s', false],
    ['LAST >= "1m" && LAST <= "1m" && LAST == "1m"', '60s', true],
    ['LAST < "10m"', '9m59s', true],
    ['LAST < "10m"', '3d4h', false],
    ['"10m" > LAST', '5s', true],
    ['LAST < "10m"', '5m ago', true],
    ['LAST == "5m ago" && LAST == "5m" && LAST == "300s"', '5m ago', true],
    ['LAST < duration("10m") && LAST == duration("5m")', '5m', true],
    ['LAST.endsWith("m") && LAST.startsWith("5") && size(LAST) == 2', '5m', true],
    ['duration(LAST) == duration("5m")', '5m', true],
    ['LAST in ["300s"]', '5m', true],
    ['LAST > "x"', '5m', false],
    ['LAST < "10m" || LAST > "10m" || LAST == "10m"', '<invalid>', false],
    ['LAST < "10m" || LAST > "10m" || LAST < "a" || LAST > "a"', '<unknown>', false],
    ['LAST < "10m" || LAST > "10m" || "a" < LAST || "a" > LAST', '<none>', false],
    ['LAST == "<none>" && LAST != ""', '<none>', true],
  ])('a cell that reads as a duration compares as one: %s of %j is %s', (source, last, expected) => {
    expect(answer(source, gadgets, cells('', 0, true, null, '', last))).toBe(expected);
  });

  it.each<[string, unknown, boolean]>([
    ['WHEN > "1h"', '<invalid>', false],
    ['WHEN > "1h"', '3d4h', true],
    ['WHEN > "9m"', '10m', true],
    ['WHEN == "3d4h"', '3d4h', true],
    ['WHEN == "2026-03-01T11:00:00Z" && WHEN == "1h"', '2026-03-01T11:00:00Z', true],
    ['WHEN > "2026-01-01T00:00:00Z"', '2026-03-01T11:00:00Z', true],
  ])('a date column: %s of %j is %s', (source, when, expected) => {
    expect(answer(source, gadgets, cells('', 0, true, when))).toBe(expected);
  });

  it('two cells are compared as durations too', () => {
    const columns = columnsOf('Name:string:name|First|Last');
    expect(answer('FIRST > LAST', columns, ['e', '2d', '100s'])).toBe(true);
  });

  it('AGE equals its printed text', () => {
    expect(answer('AGE == "120m" && AGE == "2h"', columnsOfType('pods'), POD)).toBe(true);
  });

  it.each([
    ['SIZE > "5Gi"', '10Gi', true],
    ['SIZE < "0.5"', '0.25', true],
    ['SIZE < "50%"', '9%', true],
    ['NAME < "9"', '', false],
    ['SIZE > "10.0.0.1"', '10.0.0.7', false],
    ['SIZE < "10"', '5m', true],
    ['SIZE < "10s"', '5m', false],
    ['SIZE < "abc"', '5m', false],
    ['SIZE > "abc"', '10Gi', false],
    ['SIZE == "10Gi"', '10Gi', false],
    ['quantity(SIZE) > quantity("5Gi")', '10Gi', false],
  ])('remarks once that sizes were compared as text: %s of %j: %s', (source, size, expected) => {
    const comparison = new CellComparison(source);
    const program = where(source, comparison);
    const test = () =>
      program.test(new PrintedCells(gadgets).variablesFor(row(gadgets, cells('', 0, true, null, size)), NOW));
    expect(typeof test()).toBe('boolean');
    const remark = comparison.remark();
    expect(remark !== undefined).toBe(expected);
    if (remark !== undefined) expect(remark).toContain(`--where: ${source} compares as text`);
    test();
    expect(comparison.remark()).toBeUndefined();
  });
});

describe('the columns around those of the server', () => {
  const columns = columnsOf('Name:string:name|Age');
  const refusal = (source: string, around?: AroundColumns) => {
    try {
      checkWhere(where(source), columns, around);
      return undefined;
    } catch (error) {
      return (error as InformerError).hint;
    }
  };

  it('are EVENT and NAMESPACE; EVENT of events only, CLUSTER of several clusters only', () => {
    const all = ['EVENT', 'NAMESPACE', 'CLUSTER'].map((name) => `${name} == "x"`);
    const known = (around?: AroundColumns) => all.map((source) => refusal(source, around) === undefined);
    expect(known()).toEqual([true, true, false]);
    expect(known({ ofEvents: false })).toEqual([false, true, false]);
    expect(known({ withCluster: true })).toEqual([true, true, true]);
    expect(refusal('X == 1', { ofEvents: false, withCluster: true })).toContain(
      'The columns are NAME, AGE, CLUSTER, NAMESPACE',
    );
  });

  it('have the values of the row, unless the server has such a column itself', () => {
    const of = (own: readonly TableColumn[], cells: readonly unknown[]) => {
      const object = row(own, cells, { name: 'a', namespace: 'shop' });
      const variables = new PrintedCells(own).variablesFor(object, NOW, 'ADDED', 'east');
      const names = ['EVENT', 'NAMESPACE', 'CLUSTER'];
      const inMap = variables.cells as Readonly<Record<string, unknown>>;
      return [...names.map((name) => variables[name]), ...names.map((name) => inMap[name])];
    };
    const around = ['ADDED', 'shop', 'east'];
    expect(of(columns, ['a', '1h'])).toEqual([...around, ...around]);
    const taken = columnsOf('Name:string:name|Namespace|Cluster');
    expect(of(taken, ['a', 'its own', 'its own too']).slice(0, 3)).toEqual(['ADDED', 'its own', 'its own too']);
  });
});

describe('a name that is no column is refused', () => {
  it.each([
    ['STATUSS == "Running"', 'STATUSS', 'did you mean STATUS?'],
    ['status == "Running"', 'status', 'did you mean STATUS?'],
    ['STATUS == Running', 'Running', 'a text is written in quotes: "Running"'],
    ['cells["UPTODATE"] == 1', 'UPTODATE', 'The columns are NAME'],
    ['cells["NOMINATED_NODE"] == "x"', 'NOMINATED_NODE', 'did you mean NOMINATED NODE?'],
    [
      'object.spec == 1',
      'object',
      'The columns are NAME, READY, STATUS, RESTARTS, AGE, IP, NODE, NOMINATED_NODE, READINESS_GATES, EVENT, NAMESPACE',
    ],
  ])('%s', (source, name, expected) => {
    const { message, hint } = refusalOf(source, columnsOfType('pods'));
    expect(message).toBe(`--where: there is no column ${name} in ${source}`);
    expect(hint).toContain(expected);
  });
});

it.each([
  ['FLOAT > 1e300', true],
  ['FLOAT < 5.0', false],
  ['FLOAT >= 5', true],
  ['FLOAT == 1.5', false],
  ['FLOAT != 1.5', true],
  ['cells["FLOAT"] > 9007199254740993', true],
])('a cell beyond every double is a number: %s is %s', (source, expected) => {
  const columns = columnsOf('Name:string:name|Float:number');
  expect(answer(source, columns, ['huge', new HugeNumber('1E400')])).toBe(expected);
});
