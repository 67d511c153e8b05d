import { parseSchedules } from '../hooks/triggers/cron-schedule.ts';
import { parseDuration } from '../kit/duration.ts';
import { InformerError, messageOf } from '../kit/error.ts';
import { isJsonMap } from '../kit/exact-json.ts';
import { LabelSelector } from '../model/label-selector.ts';
import { SHAPES } from './config-shapes.ts';
import { readCrontab } from './crontab.ts';
import {
  type AdmissionBinding,
  type ConversionBinding,
  type EventName,
  type KubernetesBinding,
  type LabelSelectorObject,
  labelSelectorText,
  type OperatorConfig,
  type ScheduleBinding,
} from './hook-config.ts';

/** Reads the configuration that a hook printed. Throws `argument` with the hook and every field that cannot be used. */
export async function readHookConfig(hook: string, printed: string): Promise<OperatorConfig> {
  const config = await parsed(hook, printed);
  const version = config.configVersion ?? 'v0';
  if (version !== 'v0' && version !== 'v1')
    throw refused(hook, [`configVersion must be v0 or v1, not ${JSON.stringify(version)}`]);
  const faults = SHAPES[version](config, '');
  if (faults.length > 0) throw refused(hook, faults);
  const read = version === 'v0' ? readV0(config, faults) : readV1(config, faults);
  for (const check of [() => checkSnapshots(read), () => checkNames(read)]) faults.push(...check());
  for (const { at, crontab } of read.schedules) {
    const fault = await crontabFault(crontab);
    if (fault !== undefined) faults.push(`${at}.crontab: ${fault}`);
  }
  if (faults.length > 0) throw refused(hook, faults);
  return withGroups(read);
}

type Given = Readonly<Record<string, unknown>>;

const NOTHING = { validating: [], mutating: [], conversions: [], rate: undefined };

function readV0(given: Given, faults: string[]): OperatorConfig {
  const { schedule = [], onKubernetesEvent = [] } = given as { schedule?: Given[]; onKubernetesEvent?: Given[] };
  return {
    ...NOTHING,
    version: 'v0',
    onStartup: given.onStartup as number | undefined,
    schedules: schedule.map((each, i) => scheduleOf(each, `schedule[${i}]`)),
    kubernetes: onKubernetesEvent.map((each, i) => kubernetesV0(each, `onKubernetesEvent[${i}]`, faults)),
  };
}

function readV1(given: Given, faults: string[]): OperatorConfig {
  const list = (name: string) => (given[name] ?? []) as Given[];
  const each = <B>(name: string, read: (given: Given, at: string, faults: string[]) => B) =>
    list(name).map((one, i) => read(one, `${name}[${i}]`, faults));
  return {
    version: 'v1',
    onStartup: given.onStartup as number | undefined,
    schedules: each('schedule', scheduleOf),
    kubernetes: each('kubernetes', kubernetesV1),
    validating: each('kubernetesValidating', admissionOf),
    mutating: each('kubernetesMutating', admissionOf),
    conversions: each('kubernetesCustomResourceConversion', conversionOf),
    rate: given.settings === undefined ? undefined : rateOf(given.settings as Given, faults),
  };
}

const refused = (hook: string, faults: readonly string[]) =>
  new InformerError('argument', `the hook ${hook} has a configuration that cannot be used: ${faults.join('; ')}`, {
    hint: `run ${hook} --config to see what it prints`,
  });

async function parsed(hook: string, printed: string): Promise<Given> {
  if (printed.trim() === '') throw refused(hook, ['it is empty']);
  const { CORE_SCHEMA, load } = await import('js-yaml');
  let value: unknown;
  try {
    value = load(printed, { schema: CORE_SCHEMA });
  } catch (cause) {
    throw refused(hook, [`it is neither YAML nor JSON (${messageOf(cause).split('\n')[0]})`]);
  }
  if (isJsonMap(value)) return value;
  throw refused(hook, ['it is no map (a hook prints its configuration on stdout, and nothing else)']);
}

function scheduleOf(given: Given, at: string): ScheduleBinding {
  const { name, crontab = '', allowFailure = false, includeSnapshotsFrom = [], queue, group = '' } = given;
  return {
    name: nameOf(name, 'schedule'),
    at,
    crontab: crontab as string,
    allowFailure: allowFailure as boolean,
    snapshots: includeSnapshotsFrom as string[],
    queue: nameOf(queue, 'main'),
    group: group as string,
  };
}

const nameOf = (given: unknown, otherwise: string) => (given ? String(given) : otherwise);

const EVENTS: readonly EventName[] = ['Added', 'Modified', 'Deleted'];

function kubernetesV1(given: Given, at: string, faults: string[]): KubernetesBinding {
  const { apiVersion = '', nameSelector, labelSelector, fieldSelector, namespace, jqFilter = '' } = given;
  const { resynchronizationPeriod } = given;
  const inNamespace = (namespace ?? {}) as { nameSelector?: Names; labelSelector?: LabelSelectorObject };
  const names = (nameSelector as Names | undefined)?.matchNames ?? [];
  const field = fieldsText(fieldSelector as FieldSelectorObject | undefined);
  if (names.length > 0 && /(^|,)metadata\.name[=!]/.test(field ?? ''))
    faults.push(`${at}: fieldSelector metadata.name and nameSelector.matchNames exclude each other`);
  if (!/^([a-z0-9.-]+\/)?[^/]*$/i.test(apiVersion as string)) faults.push(`${at}.apiVersion must be GROUP/VERSION`);
  return {
    ...scheduleOf(given, at),
    name: nameOf(given.name, 'kubernetes'),
    apiVersion: apiVersion as string,
    kind: given.kind as string,
    events: new Set((given.executeHookOnEvent ?? given.watchEvent ?? EVENTS) as EventName[]),
    names,
    namespaces: inNamespace.labelSelector ? [] : (inNamespace.nameSelector?.matchNames ?? []),
    namespaceSelector: selected(inNamespace.labelSelector, `${at}.namespace.labelSelector`, faults),
    selector: selected(labelSelector as LabelSelectorObject | undefined, `${at}.labelSelector`, faults),
    fieldSelector: field,
    jqFilter: jqFilter as string,
    runsOnSynchronization: given.executeHookOnSynchronization !== false,
    keepsObjects: given.keepFullObjectsInMemory !== false,
    resyncMs:
      resynchronizationPeriod === undefined
        ? undefined
        : durationOf(resynchronizationPeriod as string, `${at}.resynchronizationPeriod`, faults),
  };
}

interface Names {
  readonly matchNames: string[];
}

interface FieldSelectorObject {
  readonly matchExpressions: readonly { readonly field: string; readonly operator: string; readonly value: string }[];
}

/** As kubectl's `--field-selector` has it. */
const fieldsText = (selector: FieldSelectorObject | undefined) =>
  selector?.matchExpressions
    .map(
      ({ field, operator, value }) =>
        `${field}${operator.startsWith('!') || operator === 'NotEquals' ? '!=' : '='}${value.replaceAll(/[\\,=]/g, '\\$&')}`,
    )
    .join(',') || undefined;

function selected(selector: LabelSelectorObject | undefined, at: string, faults: string[]): string | undefined {
  if (selector === undefined) return undefined;
  try {
    return labelSelectorText(selector, LabelSelector.parse);
  } catch (error) {
    faults.push(`${at}: ${messageOf(error)}`);
    return undefined;
  }
}

const V0_EVENTS: Readonly<Record<string, EventName>> = { add: 'Added', update: 'Modified', delete: 'Deleted' };

function kubernetesV0(given: Given, at: string, faults: string[]): KubernetesBinding {
  const { event = [], kind, selector, objectName, namespaceSelector } = given;
  const { any = false, matchNames = [] } = (namespaceSelector ?? {}) as { any?: boolean; matchNames?: string[] };
  return {
    ...kubernetesV1({ kind, labelSelector: selector, jqFilter: given.jqFilter }, at, faults),
    allowFailure: given.allowFailure === true,
    name: nameOf(given.name, 'onKubernetesEvent'),
    events: new Set((event as string[]).map((each) => V0_EVENTS[each] as EventName)),
    names: objectName ? [objectName as string] : [],
    namespaces: any ? [] : matchNames,
    runsOnSynchronization: false,
  };
}

function admissionOf(given: Given, at: string, faults: string[]): AdmissionBinding {
  const { name, group = '', includeSnapshotsFrom = [], labelSelector, namespace, ...rest } = given;
  const inNamespace = namespace as { labelSelector: LabelSelectorObject } | undefined;
  selected(labelSelector as LabelSelectorObject | undefined, `${at}.labelSelector`, faults);
  selected(inNamespace?.labelSelector, `${at}.namespace.labelSelector`, faults);
  if ((name as string).split('.').length < 3)
    faults.push(`${at}.name must have at least three parts, as in check.example.com`);
  return {
    name: name as string,
    at,
    group: group as string,
    snapshots: includeSnapshotsFrom as string[],
    webhook: {
      failurePolicy: 'Fail',
      sideEffects: 'None',
      timeoutSeconds: 10,
      ...rest,
      name,
      ...(labelSelector === undefined ? {} : { objectSelector: labelSelector }),
      ...(inNamespace === undefined ? {} : { namespaceSelector: inNamespace.labelSelector }),
    },
  };
}

function conversionOf(given: Given, at: string): ConversionBinding {
  const { name, crdName, conversions, group = '', includeSnapshotsFrom = [] } = given;
  return {
    name: name as string,
    at,
    crd: crdName as string,
    rules: conversions as ConversionBinding['rules'],
    group: group as string,
    snapshots: includeSnapshotsFrom as string[],
  };
}

function rateOf(settings: Given, faults: string[]): OperatorConfig['rate'] {
  const { executionMinInterval = '', executionBurst } = settings;
  const intervalMs = durationOf(executionMinInterval as string, 'settings.executionMinInterval', faults);
  if (executionBurst === undefined) faults.push('settings.executionBurst is missing');
  return { intervalMs: intervalMs ?? 0, burst: (executionBurst as number) || 1 };
}

function durationOf(given: string, at: string, faults: string[]): number | undefined {
  try {
    return parseDuration(given);
  } catch {
    faults.push(`${at} must be a duration such as 30s or 1h`);
    return undefined;
  }
}

/** Each name in `includeSnapshotsFrom` must be that of one binding. */
function checkSnapshots({ kubernetes, schedules, validating, mutating, conversions }: OperatorConfig): string[] {
  const all = [...kubernetes, ...schedules, ...validating, ...mutating, ...conversions];
  return all.flatMap(({ at, snapshots }) =>
    snapshots.flatMap((name) => {
      const count = kubernetes.filter((each) => each.name === name).length;
      if (count === 1) return [];
      return [
        `${at}.includeSnapshotsFrom: ${count === 0 ? 'no' : count} kubernetes binding${count > 1 ? 's are' : ' is'} named ${name}`,
      ];
    }),
  );
}

/** API servers know a webhook by its name. */
function checkNames({ validating, mutating }: OperatorConfig): string[] {
  return [validating, mutating].flatMap((bindings) =>
    bindings
      .filter(({ name }, i) => bindings.findIndex((each) => each.name === name) < i)
      .map(({ at, name }) => `${at}.name: another webhook is named ${name}`),
  );
}

async function crontabFault(crontab: string): Promise<string | undefined> {
  try {
    await readCrontab(crontab, parseSchedules);
    return undefined;
  } catch (error) {
    return messageOf(error).replace(/^.*? for "--schedule(-zone)?": /, '');
  }
}

/** Bindings of a group get the snapshots of all its kubernetes bindings. */
function withGroups(config: OperatorConfig): OperatorConfig {
  const ofGroup = Map.groupBy(config.kubernetes, ({ group }) => group);
  const joined = <B extends { group: string; snapshots: readonly string[] }>(bindings: readonly B[]): B[] =>
    bindings.map((binding) => {
      const members = binding.group === '' ? [] : (ofGroup.get(binding.group) ?? []);
      return { ...binding, snapshots: [...new Set([...binding.snapshots, ...members.map(({ name }) => name)])] };
    });
  return {
    ...config,
    kubernetes: joined(config.kubernetes),
    schedules: joined(config.schedules),
    validating: joined(config.validating),
    mutating: joined(config.mutating),
    conversions: joined(config.conversions),
  };
}
