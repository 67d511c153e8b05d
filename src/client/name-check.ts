import { InformerError } from '../kit/error.ts';
import { formatGroupResource } from '../model/gvr.ts';
import type { UnknownObject } from '../model/object.ts';
import { isNameOf, type NameRule, nameRuleOf } from '../model/object-name.ts';
import type { ResourceType } from '../model/resource-type.ts';
import type { Client } from './client.ts';
import type { ResourceSelection } from './discovery/resource-args.ts';

/** Refuses namespaces that cannot exist. Throws `argument` with what was meant. */
export function checkNamespaces(names: readonly string[], flag = '-n'): void {
  for (const name of names) {
    if (isNameOf('label', name)) continue;
    throw new InformerError('argument', `${flag}: ${JSON.stringify(name)} cannot be the name of a namespace`, {
      hint: namespaceHint(name, names),
    });
  }
}

function namespaceHint(name: string, all: readonly string[]): string {
  if (name === '*') return '-A takes all namespaces';
  const bare = name.replace(/^!/, '');
  if (name.startsWith('!'))
    return `-A takes all namespaces, and --filter 'object.metadata.namespace != "${bare}"' leaves one out`;
  if (/[*?]/.test(name))
    return `-A takes all namespaces, and --filter 'object.metadata.namespace.matches("${patternOf(name)}")' picks some`;
  if (name.includes('/'))
    return `several namespaces are joined by commas: -n ${all.flatMap((each) => each.split('/')).join(',')}; an object is named TYPE/NAME`;
  if (/\s/.test(name)) return `several namespaces are joined by commas: -n ${name.split(/\s+/).join(',')}`;
  return lowered('label', name) ?? LABEL_TEXT;
}

const LABEL_TEXT = 'a name is at most 63 lower case letters, digits and -, and begins and ends with a letter or digit';
const SUBDOMAIN_TEXT = 'a name is lower case letters, digits, - and ., and begins and ends with a letter or digit';

/** The command, by which the hints choose a flag that it has. */
export type NamePicker = string;

/**
 * Refuses names that no object of the type can have: waiting for such a name would never end. For types outside
 * Kubernetes' own groups the server is asked whether the type is defined by a CustomResourceDefinition; when the server
 * does not answer that, the name is accepted. Throws `argument`.
 */
export async function checkNames(
  selections: readonly ResourceSelection[],
  client: Client,
  command: NamePicker,
  signal: AbortSignal,
): Promise<void> {
  for (const { type, names } of selections) {
    for (const name of names) {
      if (isNameOf('subdomain', name) && nameRuleOf(type.gvr) !== 'label') continue;
      const rule = nameRuleOf(type.gvr) ?? (await ruleOfCustom(type, client, signal));
      if (!isNameOf(rule, name)) throw impossible(name, type, rule, names, command);
    }
  }
}

const DEFINITIONS = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };

async function ruleOfCustom({ gvr }: ResourceType, client: Client, signal: AbortSignal): Promise<NameRule> {
  try {
    await client.resource<UnknownObject>(DEFINITIONS, { as: 'metadata' }).get(formatGroupResource(gvr), { signal });
    return 'subdomain';
  } catch {
    return 'segment';
  }
}

function impossible(
  name: string,
  { gvr }: ResourceType,
  rule: NameRule,
  names: readonly string[],
  command: NamePicker,
): InformerError {
  const resource = formatGroupResource(gvr);
  const message = `${JSON.stringify(name)} cannot be the name of an object of ${resource}`;
  return new InformerError('argument', message, { hint: nameHint(name, gvr.resource, rule, names, command) });
}

function nameHint(
  name: string,
  resource: string,
  rule: NameRule,
  names: readonly string[],
  command: NamePicker,
): string {
  if (/^([!=<>]=?|==|&&|\|\|)$/.test(name))
    return `an expression with blanks needs quotes around it: --filter 'object.status.phase == "Running"'`;
  if (/[,\s]/.test(name)) {
    const parts = names.flatMap((each) => each.split(/[,\s]+/)).filter((part) => part !== '');
    const areNames = parts.every((part) => isNameOf(rule, part));
    if (areNames) return `several names are parted by blanks: ${resource} ${parts.join(' ')}`;
  }
  if (name === '*') return `${resource} without a name is all of them`;
  if (/[*?^$[\]]/.test(name)) {
    const pattern = patternOf(name);
    if (command === 'watch' || command === 'query') return `--name '${pattern}' picks objects by a pattern`;
    return 'names are written out; -l picks objects by their labels';
  }
  return lowered(rule, name) ?? (rule === 'label' ? LABEL_TEXT : SUBDOMAIN_TEXT);
}

/** `web-*` as a regular expression; what looks like one already is left as it is. */
function patternOf(glob: string): string {
  if (/[\^$[\]]|\.\*/.test(glob)) return glob;
  const body = glob
    .replace(/[.+(){}|\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return `^${body}$`.replace(/\.\*\$$/, '').replace(/^\^\.\*/, '');
}

/** The same word as the API would take it: in lower case, with `-` for `_`. */
function lowered(rule: NameRule, name: string): string | undefined {
  const meant = name.toLowerCase().replaceAll('_', '-').trim();
  if (meant === name || !isNameOf(rule, meant)) return undefined;
  return `did you mean ${JSON.stringify(meant)}? Names have no capitals and no _`;
}
