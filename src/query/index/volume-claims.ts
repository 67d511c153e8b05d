import type { ReadonlyObject } from '../../model/object.ts';
import { listOf, podSpecOf } from './pod-references.ts';

interface ClaimVolume {
  name?: string;
  persistentVolumeClaim?: { claimName?: string };
  ephemeral?: object;
}

interface ClaimSpec {
  containers?: unknown;
  replicas?: number;
  ordinals?: { start?: number };
  volumeClaimTemplates?: { metadata?: { name?: string } }[];
  claimRef?: { name?: string };
  dataSource?: TypedReference;
  dataSourceRef?: TypedReference;
  source?: { persistentVolumeClaimName?: string };
}

interface TypedReference {
  kind?: string;
  name?: string;
}

/**
 * The persistent volume claims that an object uses, by name:
 * - a pod, or the pods of a workload, by their volumes. An ephemeral volume has a claim of its own, whose name only a
 *   pod determines: `POD-VOLUME`;
 * - a stateful set by its claim templates: the claims of its current replicas, `TEMPLATE-SET-ORDINAL`;
 * - a persistent volume that is bound to the claim, a claim that is a copy of it, and a snapshot of it.
 *
 * Source: k8s.io/api core/v1 Volume, component-helpers storage/ephemeral VolumeClaimName, the stateful set controller's
 * getPersistentVolumeClaimName.
 */
export function volumeClaimsOf(object: ReadonlyObject): (string | undefined)[] {
  const spec = (object.spec ?? {}) as ClaimSpec;
  const pod = podSpecOf(object) as { volumes?: ClaimVolume[] } | undefined;
  const isPod = Array.isArray(spec.containers);
  const mounted = listOf(pod?.volumes).map(({ name, persistentVolumeClaim, ephemeral }) => {
    if (ephemeral === undefined) return persistentVolumeClaim?.claimName;
    return isPod && textIn(name) !== undefined ? `${object.metadata.name}-${name}` : undefined;
  });
  const copied = [spec.dataSource, spec.dataSourceRef].map((source) =>
    source?.kind === 'PersistentVolumeClaim' ? source.name : undefined,
  );
  return [
    ...mounted,
    ...templateClaimsOf(object.metadata.name ?? '', spec),
    spec.claimRef?.name,
    ...copied,
    spec.source?.persistentVolumeClaimName,
  ];
}

/** More replicas than a stateful set has in practice. A larger number would be an attack on the memory. */
const MOST_REPLICAS = 10_000;

function templateClaimsOf(name: string, { volumeClaimTemplates, replicas = 1, ordinals }: ClaimSpec): string[] {
  const start = wholeOf(ordinals?.start);
  const count = Math.min(wholeOf(replicas), MOST_REPLICAS);
  const templates = listOf(volumeClaimTemplates).flatMap(({ metadata }) => textIn(metadata?.name) ?? []);
  return templates.flatMap((template) => Array.from({ length: count }, (_, i) => `${template}-${name}-${start + i}`));
}

/** A field of a custom resource may have any type. */
const wholeOf = (value: unknown): number => (typeof value === 'number' && Number.isSafeInteger(value) ? value : 0);
const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
