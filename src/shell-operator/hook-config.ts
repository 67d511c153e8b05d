import type { LabelSelector } from '../model/label-selector.ts';

/** The configuration of a hook, the same for both versions. */
export interface OperatorConfig {
  readonly version: 'v0' | 'v1';
  /** The place among the hooks that run at the start; undefined for a hook that does not. */
  readonly onStartup: number | undefined;
  readonly kubernetes: readonly KubernetesBinding[];
  readonly schedules: readonly ScheduleBinding[];
  readonly validating: readonly AdmissionBinding[];
  readonly mutating: readonly AdmissionBinding[];
  readonly conversions: readonly ConversionBinding[];
  readonly rate: { readonly intervalMs: number; readonly burst: number } | undefined;
}

interface Binding {
  /** Names the binding in contexts. Bindings without a name of their own share that of their sort. */
  readonly name: string;
  /** Its place in the configuration, for messages: `kubernetes[0]`. */
  readonly at: string;
  readonly group: string;
  /** The bindings whose objects a run gets as snapshots, with those of the group. */
  readonly snapshots: readonly string[];
}

interface QueuedBinding extends Binding {
  readonly queue: string;
  readonly allowFailure: boolean;
}

/** The events that a binding can be called for. */
export type EventName = 'Added' | 'Modified' | 'Deleted';

/** A hook that is called for changes of objects. */
export interface KubernetesBinding extends QueuedBinding {
  readonly apiVersion: string;
  readonly kind: string;
  readonly events: ReadonlySet<EventName>;
  readonly names: readonly string[];
  /** [''] = all. */
  readonly namespaces: readonly string[];
  /** Chooses the namespaces instead, and is followed. */
  readonly namespaceSelector: string | undefined;
  readonly selector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly jqFilter: string;
  readonly runsOnSynchronization: boolean;
  readonly keepsObjects: boolean;
  /** Compares the cache with a fresh list this often, ms. */
  readonly resyncMs: number | undefined;
}

/** A hook that is called at times. */
export interface ScheduleBinding extends QueuedBinding {
  readonly crontab: string;
}

/** A hook that decides about writes. */
export interface AdmissionBinding extends Binding {
  /** A webhook of a configuration object, without what this program adds. */
  readonly webhook: Readonly<Record<string, unknown>>;
}

/** A hook that converts objects of a CRD. */
export interface ConversionBinding extends Binding {
  readonly crd: string;
  readonly rules: readonly { readonly fromVersion: string; readonly toVersion: string }[];
}

/** A label selector as manifests have it. */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
  }[];
}

/** The same selector as {@link LabelSelector} reads it. Throws for an expression that no server takes. */
export function labelSelectorText(
  { matchLabels = {}, matchExpressions = [] }: LabelSelectorObject,
  parse: typeof LabelSelector.parse,
): string {
  const parts = [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(({ key, operator, values = [] }) => {
      const takesValues = operator === 'In' || operator === 'NotIn';
      if (takesValues !== values.length > 0)
        throw new Error(`${operator} of ${key} ${takesValues ? 'needs values' : 'takes no values'}`);
      if (takesValues) return `${key} ${operator.toLowerCase()} (${values.join(',')})`;
      return operator === 'Exists' ? key : `!${key}`;
    }),
  ];
  return parse(parts.join(',')).toString();
}
