import { InformerError } from '../kit/error.ts';

/** The tools, in the order in which agents see them. */
export type ToolName =
  'types' | 'query' | 'count' | 'values' | 'group' | 'tree' | 'get' | 'changes' | 'history' | 'story' | 'wait' | 'explain'; // biome-ignore format: one list

interface Property {
  readonly type: 'string' | 'number' | 'boolean' | 'array';
  readonly description?: string;
  readonly items?: { readonly type: 'string' };
}

/** A tool as agents see it. */
export interface ToolSchema {
  readonly description: string;
  readonly example: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, Property>>;
}

const text = (description?: string): Property => ({ type: 'string', ...(description ? { description } : {}) });
const texts = (description: string): Property => ({ type: 'array', items: { type: 'string' }, description });
const number = (description: string): Property => ({ type: 'number', description });

const tokens = number('budget, default 1000');
const type = text('pods, deploy/web, or pods,deploy');
const namespace = text('default: all');
const labels = text('label selector');
const objects = {
  type,
  namespace,
  labels,
  fields: text('field selector'),
  where: texts(`CEL over printed columns: STATUS != "Running" && RESTARTS > 3`),
  filter: texts('CEL over object and now: object.spec.replicas > 2'),
  name: text('regular expression'),
  eq: texts('INDEX=VALUE; owner=deploy/web, node=n1, image, phase, configmap, secret, event=Pod/web-1, label:KEY'),
  in: texts('INDEX=V1,V2'),
  prefix: texts('INDEX=TEXT'),
  range: texts('INDEX=A..B'),
  index: texts('an own index: NAME=JSONPATH'),
  at: text('where a serve records: the state at a time, or 10m before its end'),
};
/** The same, without words for what the tool `query` says. */
const asInQuery = Object.fromEntries(
  Object.entries(objects).map(([name, { description: _, ...schema }]) => [name, schema]),
);
const { eq: _eq, in: _in, prefix: _prefix, range: _range, ...unindexed } = asInQuery;
const sort = text('JSONPATH; - before it: descending');
const limit = number('most rows');

/** The schemas of the tools. */
export const SCHEMAS: Readonly<Record<ToolName, ToolSchema>> = {
  types: {
    description: 'What types there are, and how many objects of the cached ones.',
    example: { match: 'deploy' },
    required: [],
    properties: { match: text('part of a name'), tokens },
  },
  query: {
    description: 'Objects as rows of columns or paths, by selectors, expressions and indexes.',
    example: { type: 'pods', namespace: 'shop', where: ['STATUS != "Running"'], columns: ['STATUS', 'RESTARTS'] },
    required: ['type'],
    properties: {
      ...objects,
      columns: texts('columns of kubectl get -o wide'),
      paths: texts('JSONPATH or CEL, a column each: .spec.nodeName'),
      sort,
      limit,
      skip: number('rows to leave out'),
      tokens,
    },
  },
  count: {
    description: 'How many objects there are; chosen as in query.',
    example: { type: 'pods', where: ['STATUS == "Pending"'] },
    required: ['type'],
    properties: { ...asInQuery, tokens },
  },
  values: {
    description: 'The values of an index, and how many objects have each.',
    example: { type: 'pods', of: 'node' },
    required: ['type', 'of'],
    properties: {
      ...unindexed,
      of: text('name of the index: namespace, node, image, owner, phase, label:KEY'),
      limit,
      tokens,
    },
  },
  group: {
    description: 'Counts of objects, chosen as in query, by an expression, with sums and averages.',
    example: { type: 'pods', by: '.status.phase' },
    required: ['type', 'by'],
    properties: {
      ...asInQuery,
      by: text('JSONPATH or CEL'),
      sum: texts('JSONPATH or CEL'),
      min: texts('as sum'),
      max: texts('as sum'),
      avg: texts('as sum'),
      sort: text('count, value, or a sum; - before it: descending'),
      limit,
      tokens,
    },
  },
  tree: {
    description: 'Objects with their owners and all that they own, with readiness.',
    example: { type: 'deploy/web', namespace: 'shop' },
    required: ['type'],
    properties: { type, namespace, labels, with: text('further types to look for'), tokens },
  },
  get: {
    description: 'One object, whole or by paths, without managedFields, defaults and empty fields.',
    example: { type: 'deploy', name: 'web', namespace: 'shop', paths: ['.spec.replicas', '.status.conditions'] },
    required: ['type'],
    properties: { type: text(), name: text(), namespace: text(), paths: texts('JSONPATH or CEL'), at: text(), tokens },
  },
  changes: {
    description: 'Who changed which field since a time or a resourceVersion, the latest first.',
    example: { type: 'deploy', namespace: 'shop', since: '15m' },
    required: ['type'],
    properties: {
      type,
      name: text(),
      namespace,
      labels,
      since: text('15m, a time, or a resourceVersion (default 10m)'),
      tokens,
    },
  },
  history: {
    description: 'Every recorded change of an object, or of a type between two times; else the last writes.',
    example: { type: 'deploy/web', namespace: 'shop', limit: 20 },
    required: ['type'],
    properties: {
      type,
      name: text(),
      namespace,
      labels,
      since: text('a time, or 10m before the end'),
      until: text(),
      paths: texts('only these fields'),
      by: texts('field managers'),
      limit: number('only the last'),
      tokens,
    },
  },
  story: {
    description: 'Why an object is not ready, and what happened to it and to all that it owns.',
    example: { type: 'deploy/web', namespace: 'shop' },
    required: ['type'],
    properties: { type, name: text(), namespace, since: text('15m, or a time'), until: text(), limit, tokens },
  },
  wait: {
    description: 'Waits until objects meet a condition: met, failed, time ran out, or continuity lost.',
    example: { type: 'deploy/web', namespace: 'shop', for: ['rollout'], timeout: '45s' },
    required: ['type'],
    properties: {
      type,
      name: text(),
      namespace,
      labels,
      for: texts('as kubectl wait: condition=Ready, jsonpath=…, create, delete; or rollout'),
      until: texts('CEL that all must meet'),
      failIf: texts('CEL that ends the wait as failed'),
      stays: text('how long it must hold: 10s'),
      timeout: text('default 45s, at most 10m'),
      strict: { type: 'boolean', description: 'end when changes may have been missed' },
      tokens,
    },
  },
  explain: {
    description: 'How fresh the caches are, and which changes may be missing.',
    example: { type: 'pods' },
    required: [],
    properties: { type, tokens },
  },
};

/** The longest text that an agent may give, in characters. */
const LONGEST_TEXT = 4000;
const MOST_ITEMS = 50;

/** The checked arguments of a call. */
export class Arguments {
  readonly #given: Readonly<Record<string, unknown>>;

  /** Throws `argument` for what the schema does not have. */
  constructor(given: Readonly<Record<string, unknown>>, { properties, required, example }: ToolSchema) {
    const hint = `for example ${JSON.stringify(example)}`;
    for (const [name, value] of Object.entries(given)) {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (!property)
        throw new InformerError('argument', `there is no argument ${JSON.stringify(name.slice(0, 80))}`, {
          hint: `the arguments are ${Object.keys(properties).join(', ')}; ${hint}`,
        });
      const isRight = property.type === 'array' ? isTextList(value) : typeof value === property.type && isShort(value);
      if (!isRight && value !== null)
        throw new InformerError('argument', `${name} must be ${property.type === 'array' ? 'a list of texts' : `a ${property.type}`}`, { hint }); // biome-ignore format: one error
    }
    const missing = required.find((name) => given[name] === undefined || given[name] === null);
    if (missing !== undefined) throw new InformerError('argument', `${missing} is missing`, { hint });
    this.#given = given;
  }

  /** Unbound, so that they can be taken out of the object. */
  readonly text = (name: string): string | undefined => (this.#given[name] as string | null | undefined) || undefined;
  readonly number = (name: string): number | undefined => (this.#given[name] as number | null | undefined) ?? undefined;
  readonly list = (name: string): readonly string[] => {
    const value = this.#given[name] as string | readonly string[] | null | undefined;
    return typeof value === 'string' ? [value] : (value ?? []);
  };
  readonly flag = (name: string): boolean => this.#given[name] === true;
}

const isShort = (value: unknown) => typeof value !== 'string' || value.length <= LONGEST_TEXT;

/** A single text is taken for a list of one. */
const isTextList = (value: unknown) =>
  (typeof value === 'string' && isShort(value)) ||
  (Array.isArray(value) &&
    value.length <= MOST_ITEMS &&
    value.every((each) => typeof each === 'string' && isShort(each)));
