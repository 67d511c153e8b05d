import { InformerError } from '../kit/error.ts';
import { type FieldShape, fields, listField, mapField, oneOf, textField } from './shape.ts';

/** A change of a metric that a hook asks for. */
export interface MetricOperation {
  readonly action: 'add' | 'set' | 'observe' | 'expire';
  /** '' for an `expire`. */
  readonly name: string;
  readonly value: number;
  readonly buckets: readonly number[];
  readonly labels: Readonly<Record<string, string>>;
  /** '' = none. */
  readonly group: string;
}

const number: FieldShape = (value, at) => (typeof value === 'number' ? [] : [`${at} must be a number`]);
const OPERATION = fields({
  name: textField,
  action: oneOf('add', 'set', 'observe', 'expire'),
  add: number,
  set: number,
  value: number,
  buckets: listField(number),
  labels: mapField(textField),
  group: textField,
});

/**
 * Reads the operations that a hook wrote, one JSON document after the other. Throws `hook` with the number of the
 * operation and its field for one that cannot be used. Source: shell-operator pkg/hook/operation.go.
 */
export function readMetricOperations(written: string): MetricOperation[] {
  return documentsOf(written).map((given, i) => {
    const faults = OPERATION(given, '');
    const { name = '', add, set, buckets = [], labels = {}, group = '' } = Object(given) as GivenOperation;
    const action = add !== undefined ? 'add' : set !== undefined ? 'set' : (given as GivenOperation).action;
    const value = add ?? set ?? (given as GivenOperation).value;
    if (faults.length === 0) faults.push(...faultsOf({ name, add, set, buckets, group, action, value }));
    if (faults.length > 0)
      throw new InformerError('hook', `operation ${i + 1} in METRICS_PATH cannot be used: ${faults.join('; ')}`);
    return { action: action as MetricOperation['action'], name, value: value ?? 0, buckets, labels, group };
  });
}

type GivenOperation = Partial<MetricOperation> & {
  readonly add?: number | undefined;
  readonly set?: number | undefined;
};

function faultsOf({
  name,
  add,
  set,
  buckets,
  group,
  action,
  value,
}: { [K in keyof GivenOperation]: GivenOperation[K] | undefined }) {
  const faults: string[] = [];
  if (action === undefined) faults.push('one of action, set and add is needed');
  if (add !== undefined && set !== undefined) faults.push('add and set exclude each other');
  if (action === 'expire' ? group === '' : name === '')
    faults.push(`${action === 'expire' ? 'group' : 'name'} is missing`);
  if (action !== 'expire' && value === undefined) faults.push('value is missing');
  if (action === 'observe' && buckets?.length === 0) faults.push('buckets is missing');
  if (action === 'observe' && group !== '') faults.push('observe takes no group');
  return faults;
}

/** Documents need no line end between them. */
function documentsOf(written: string): unknown[] {
  const lines = written.split('\n').filter((line) => line.trim() !== '');
  try {
    return lines.map((line) => JSON.parse(line) as unknown);
  } catch {
    const joined = written.trim().replaceAll(/\}\s*\{/g, '},{');
    try {
      return JSON.parse(`[${joined}]`) as unknown[];
    } catch (cause) {
      throw new InformerError('hook', 'METRICS_PATH has no JSON', { cause });
    }
  }
}

type MetricType = 'counter' | 'gauge' | 'histogram';
const TYPES = { add: 'counter', set: 'gauge', observe: 'histogram' } as const;

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly group: string;
  value: number;
  count: number;
  /** Of a histogram: how many values were at most its bound, by bound. */
  readonly buckets: Map<number, number>;
}

/** The metrics of hooks, in the text format of Prometheus. */
export class HookMetrics {
  readonly #families = new Map<string, { type: MetricType; series: Map<string, Series> }>();

  /**
   * Carries out the operations of one run. Of a group, what it had is dropped first. Throws `hook` for a metric that is
   * of another type already: then nothing is changed.
   */
  apply(operations: readonly MetricOperation[], hook: string): void {
    const types = new Map([...this.#families].map(([name, { type }]) => [name, type]));
    for (const { action, name } of operations) {
      if (action === 'expire') continue;
      const known = types.get(name) ?? TYPES[action];
      if (known !== TYPES[action])
        throw new InformerError('hook', `the metric ${name} is a ${known}, not a ${TYPES[action]}`);
      types.set(name, known);
    }
    const groups = new Set(operations.map(({ group }) => group));
    groups.delete('');
    for (const { series } of this.#families.values())
      for (const [id, { group }] of series) if (groups.has(group)) series.delete(id);
    for (const operation of operations)
      if (operation.action !== 'expire') this.#applyOne(operation, operation.action, hook);
  }

  #applyOne({ name, value, buckets, labels, group }: MetricOperation, action: keyof typeof TYPES, hook: string): void {
    const family = this.#families.get(name) ?? { type: TYPES[action], series: new Map<string, Series>() };
    this.#families.set(name, family);
    const all = Object.fromEntries(Object.entries({ ...labels, hook }).sort(([a], [b]) => (a < b ? -1 : 1)));
    const id = JSON.stringify([group, all]);
    const series = family.series.get(id) ?? { labels: all, group, value: 0, count: 0, buckets: new Map() };
    family.series.set(id, series);
    series.value = action === 'set' ? value : series.value + value;
    series.count++;
    for (const bound of buckets) series.buckets.set(bound, (series.buckets.get(bound) ?? 0) + (value <= bound ? 1 : 0));
  }

  text(): string {
    return [...this.#families]
      .filter(([, { series }]) => series.size > 0)
      .map(
        ([name, { type, series }]) =>
          `# HELP ${name} ${name}\n# TYPE ${name} ${type}\n${[...series.values()].map((each) => lines(name, type, each)).join('')}`,
      )
      .join('');
  }
}

function lines(name: string, type: MetricType, { labels, value, count, buckets }: Series): string {
  const line = (suffix: string, more: Record<string, string>, shown: number) => {
    const pairs = Object.entries({ ...labels, ...more }).map(([label, text]) => `${label}=${quoted(text)}`);
    return `${name}${suffix}{${pairs.join(',')}} ${shown}\n`;
  };
  if (type !== 'histogram') return line('', {}, value);
  const bounds = [...buckets]
    .sort(([a], [b]) => a - b)
    .map(([bound, at]) => line('_bucket', { le: String(bound) }, at));
  return [...bounds, line('_bucket', { le: '+Inf' }, count), line('_sum', {}, value), line('_count', {}, count)].join(
    '',
  );
}

const quoted = (value: string) => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
