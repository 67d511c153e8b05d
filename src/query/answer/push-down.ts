import type { ResourceSelection } from '../../client/discovery/resource-args.ts';
import { FieldSelector } from '../../model/field-selector.ts';
import { formatGvr } from '../../model/gvr.ts';
import { type LabelRequirement, LabelSelector } from '../../model/label-selector.ts';
import type { ResourceType } from '../../model/resource-type.ts';
import { selectableFields, serverSideFilterOf } from '../../stream/conditions/server-side-filter.ts';
import { IndexCatalog } from '../index/index-catalog.ts';
import type { IndexDefinition } from '../index/index-definition.ts';
import type { Lookup } from '../index/lookup.ts';
import { typeWordOf } from '../index/reference-spellings.ts';
import type { ScopedQuery } from './query.ts';

/** The part of a question that a server answers for one type: what it is asked for in place of all objects. */
export interface PushedDown {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** The namespaces that are listed; undefined for those of the question. */
  readonly namespaces?: readonly string[] | undefined;
}

/** Namespaces that are listed one by one in place of all, at most. */
const MOST_NAMESPACES = 16;

/** Values of one label selector, at most: an address has a limited length. */
const MOST_LABELS = 50;

/**
 * The part of the lookups and filters of a query that a server can do, for each type of which it can do a part.
 * Everything is tested here again, so the answer is the same; only fewer objects are sent. Types whose objects are
 * asked for by name are left out: a name that does not exist must stay different from one that does not match.
 */
export async function pushedDownOf(
  question: Pick<ScopedQuery, 'declared' | 'lookups' | 'filters' | 'namespaces'>,
  selections: readonly ResourceSelection[],
): Promise<Map<ResourceType, PushedDown>> {
  const { lookups, filters, namespaces } = question;
  const pushed = new Map<ResourceType, PushedDown>();
  if (lookups.length === 0 && filters.length === 0) return pushed;
  const catalog = new IndexCatalog(question.declared);
  for (const { type, names } of selections) {
    if (names.length > 0) continue;
    const parts = lookups.map((lookup) => partOf(lookup, catalog.get(lookup.index), type));
    const filter = filters.length > 0 ? await serverSideFilterOf(filters, type) : undefined;
    const labels = parts.flatMap((part) => part.label ?? []);
    const fields = parts.flatMap((part) => part.field ?? []);
    const part = {
      labelSelector: joined(labels.length > 0 ? LabelSelector.of(labels).toString() : undefined, filter?.labelSelector),
      fieldSelector: joined(fields.length > 0 ? FieldSelector.of(fields).toString() : undefined, filter?.fieldSelector),
      namespaces: type.namespaced ? namespacesIn(parts, namespaces) : undefined,
    };
    if (Object.values(part).some((value) => value !== undefined)) pushed.set(type, part);
  }
  return pushed;
}

/** Takes back the selectors of a type, by which the server cannot select. */
export function withdrawSelectors(pushed: Map<ResourceType, PushedDown>, type: ResourceType): void {
  const namespaces = pushed.get(type)?.namespaces;
  if (namespaces) pushed.set(type, { namespaces });
  else pushed.delete(type);
}

/** The selection that was pushed down, as a person reads it. */
export function pushedText({ labelSelector, fieldSelector, namespaces }: PushedDown = {}): string {
  const parts = [
    ...(namespaces ? [`namespace ${namespaces.join(', ')}`] : []),
    ...(labelSelector ? [`label selector ${labelSelector}`] : []),
    ...(fieldSelector ? [`field selector ${fieldSelector}`] : []),
  ];
  return parts.length === 0 ? 'nothing' : parts.join(' and ');
}

/** The part of one lookup that a server can do. It selects every object that satisfies the lookup, or more. */
interface Part {
  readonly label?: LabelRequirement;
  readonly field?: { readonly field: string; readonly operator: '='; readonly value: string };
  readonly namespaces?: readonly string[];
}

function partOf(lookup: Lookup, definition: IndexDefinition, type: ResourceType): Part {
  const values = lookup.kind === 'in' ? lookup.values : undefined;
  if (definition.key === 'event') return aboutPart(values, type);
  const [first, second, key, ...more] = definition.field ?? [];
  if (first === 'metadata' && second === 'labels' && key !== undefined && more.length === 0) {
    const label = labelPart(key, values);
    return label ? { label } : {};
  }
  if (first === 'metadata' && second === 'namespace') return namespacePart(values);
  const field = definition.field?.join('.') ?? '';
  const [only, ...others] = values ?? [];
  if (!only || others.length > 0 || !selectableFields(type).has(field)) return {};
  return { field: { field, operator: '=', value: only } };
}

function labelPart(key: string, values: readonly string[] | undefined): LabelRequirement | undefined {
  if (!LABEL_KEY.test(key)) return undefined;
  // a value that no label can have is tested here: a server would refuse the request
  const possible = values?.filter((value) => LABEL_VALUE.test(value));
  const isExact = possible !== undefined && possible.length > 0 && !values?.includes('');
  if (!isExact || possible.length > MOST_LABELS) return { key, operator: 'exists', values: [] };
  return { key, operator: possible.length === 1 ? '=' : 'in', values: possible };
}

function namespacePart(values: readonly string[] | undefined): Part {
  const possible = values?.filter((value) => NAMESPACE.test(value)) ?? [];
  return possible.length === 0 || possible.length > MOST_NAMESPACES ? {} : { namespaces: possible };
}

/** The field of an Event that names the object by its uid, or its name: a kind may be written in several ways. */
function aboutPart(values: readonly string[] | undefined, { gvr }: ResourceType): Part {
  const about = ABOUT[formatGvr(gvr)];
  const [only, ...others] = values ?? [];
  if (about === undefined || !only || others.length > 0) return {};
  const isNamed = typeWordOf(only) !== undefined;
  const value = isNamed ? only.slice(only.lastIndexOf('/') + 1) : only;
  return value === '' ? {} : { field: { field: `${about}.${isNamed ? 'name' : 'uid'}`, operator: '=', value } };
}

const ABOUT: Readonly<Record<string, string>> = {
  'v1/events': 'involvedObject',
  'events.k8s.io/v1/events': 'regarding',
};

/** The namespaces that are left of those of the question, in the order of a list of all; undefined if it is all. */
function namespacesIn(parts: readonly Part[], asked: readonly string[]): readonly string[] | undefined {
  const lists = parts.flatMap(({ namespaces }) => (namespaces ? [namespaces] : []));
  const [first, ...others] = asked.includes('') ? lists : [asked, ...lists];
  if (first === undefined || lists.length === 0) return undefined;
  const left = first.filter((namespace) => others.every((list) => list.includes(namespace)));
  if (left.length === 0) return undefined;
  return asked.includes('') ? left.toSorted() : left;
}

const joined = (...selectors: (string | undefined)[]) => selectors.filter((text) => text).join(',') || undefined;

/** Source: apimachinery util/validation IsQualifiedName, IsValidLabelValue, IsDNS1123Label. */
const LABEL_KEY = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/;
const NAMESPACE = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
