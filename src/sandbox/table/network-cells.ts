import { abridged, ageOf, type FieldMap, fieldsAt, listAt, nameOf, numberAt, textAt } from './field-access.ts';
import { labelsText, selectorCell } from './workload-cells.ts';

type Cells = (object: FieldMap, now: number) => unknown[];

/** Cells of network types, storage types and autoscalers. Source: kubernetes/pkg/printers/internalversion. */
export const NETWORK_CELLS: Readonly<Record<string, Cells>> = {
  services: (service, now) => {
    const spec = fieldsAt(service, 'spec');
    return [
      nameOf(service),
      textAt(spec, 'type'),
      textAt(spec, 'clusterIP', '<none>'),
      externalAddress(service),
      portsText(listAt(spec, 'ports')),
      ageOf(service, now),
      labelsText(fieldsAt(spec, 'selector')),
    ];
  },
  'ingresses.networking.k8s.io': (ingress, now) => {
    const spec = fieldsAt(ingress, 'spec');
    const hosts = listAt(spec, 'rules')
      .map((r) => textAt(r, 'host'))
      .filter((host) => host !== '');
    const ports = listAt(spec, 'tls').length > 0 ? '80, 443' : '80';
    return [
      nameOf(ingress),
      textAt(spec, 'ingressClassName', '<none>'),
      abridged(hosts, 3, '*'),
      balancers(ingress).join(','),
      ports,
      ageOf(ingress, now),
    ];
  },
  'networkpolicies.networking.k8s.io': (policy, now) => [
    nameOf(policy),
    selectorCell(fieldsAt(policy, 'spec', 'podSelector')),
    ageOf(policy, now),
  ],
  'endpointslices.discovery.k8s.io': (slice, now) => {
    const ports = listAt(slice, 'ports').map((p) => textAt(p, 'port', '*'));
    const addresses = listAt(slice, 'endpoints').flatMap((e) => (e.addresses as string[] | undefined) ?? []);
    return [
      nameOf(slice),
      textAt(slice, 'addressType'),
      abridged(ports, 3, '<unset>'),
      abridged(addresses, 3, '<unset>'),
      ageOf(slice, now),
    ];
  },
  persistentvolumeclaims: (claim, now) => {
    const [spec, status] = [fieldsAt(claim, 'spec'), fieldsAt(claim, 'status')];
    const bound = textAt(spec, 'volumeName') !== '';
    return [
      nameOf(claim),
      phaseOf(claim),
      textAt(spec, 'volumeName'),
      bound ? textAt(fieldsAt(status, 'capacity'), 'storage') : '',
      bound ? accessModes(status.accessModes) : '',
      textAt(spec, 'storageClassName'),
      textAt(spec, 'volumeAttributesClassName', '<unset>'),
      ageOf(claim, now),
      textAt(spec, 'volumeMode', '<unset>'),
    ];
  },
  persistentvolumes: (volume, now) => {
    const [spec, claim] = [fieldsAt(volume, 'spec'), fieldsAt(volume, 'spec', 'claimRef')];
    return [
      nameOf(volume),
      textAt(fieldsAt(spec, 'capacity'), 'storage'),
      accessModes(spec.accessModes),
      textAt(spec, 'persistentVolumeReclaimPolicy'),
      phaseOf(volume),
      textAt(claim, 'name') === '' ? '' : `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}`,
      textAt(spec, 'storageClassName'),
      textAt(spec, 'volumeAttributesClassName', '<unset>'),
      textAt(fieldsAt(volume, 'status'), 'reason'),
      ageOf(volume, now),
      textAt(spec, 'volumeMode', '<unset>'),
    ];
  },
  'storageclasses.storage.k8s.io': (cls, now) => {
    const isDefault =
      fieldsAt(cls, 'metadata', 'annotations')['storageclass.kubernetes.io/is-default-class'] === 'true';
    return [
      isDefault ? `${nameOf(cls)} (default)` : nameOf(cls),
      textAt(cls, 'provisioner'),
      textAt(cls, 'reclaimPolicy', 'Delete'),
      textAt(cls, 'volumeBindingMode', 'Immediate'),
      cls.allowVolumeExpansion === true,
      ageOf(cls, now),
    ];
  },
  'horizontalpodautoscalers.autoscaling': (scaler, now) => {
    const [spec, target] = [fieldsAt(scaler, 'spec'), fieldsAt(scaler, 'spec', 'scaleTargetRef')];
    return [
      nameOf(scaler),
      `${textAt(target, 'kind')}/${textAt(target, 'name')}`,
      targetsText(scaler),
      textAt(spec, 'minReplicas', '<unset>'),
      numberAt(spec, 'maxReplicas'),
      numberAt(fieldsAt(scaler, 'status'), 'currentReplicas'),
      ageOf(scaler, now),
    ];
  },
};

/** A longer list of load balancer addresses is cut to this width. */
const BALANCER_WIDTH = 16;

function externalAddress(service: FieldMap): string {
  const spec = fieldsAt(service, 'spec');
  const external = (spec.externalIPs as string[] | undefined) ?? [];
  if (spec.type === 'ExternalName') return textAt(spec, 'externalName');
  if (spec.type !== 'LoadBalancer') return external.join(',') || '<none>';
  const joined = balancers(service).join(',');
  const shown = joined.length > BALANCER_WIDTH ? `${joined.slice(0, BALANCER_WIDTH - 3)}...` : joined;
  return [shown, ...external].filter((address) => address !== '').join(',') || '<pending>';
}

function balancers(object: FieldMap): string[] {
  const ingress = listAt(fieldsAt(object, 'status', 'loadBalancer'), 'ingress');
  return ingress.map((i) => textAt(i, 'ip', textAt(i, 'hostname'))).filter((address) => address !== '');
}

function portsText(ports: readonly FieldMap[]): string {
  const pieces = ports.map((p) => {
    const port = p.nodePort ? `${p.port}:${p.nodePort}` : `${p.port}`;
    return `${port}/${textAt(p, 'protocol', 'TCP')}`;
  });
  return pieces.join(',') || '<none>';
}

function phaseOf(object: FieldMap): string {
  return fieldsAt(object, 'metadata').deletionTimestamp ? 'Terminating' : textAt(fieldsAt(object, 'status'), 'phase');
}

const SHORT_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

function accessModes(modes: unknown): string {
  const present = new Set(Array.isArray(modes) ? modes : []);
  return Object.keys(SHORT_MODES)
    .filter((mode) => present.has(mode))
    .map((mode) => SHORT_MODES[mode])
    .join(',');
}

/**
 * `cpu: 12%/80%` for a resource, `10/20` for another metric, with ` (avg)` for an average over pods. At most two
 * metrics.
 */
function targetsText(scaler: FieldMap): string {
  const current = listAt(fieldsAt(scaler, 'status'), 'currentMetrics');
  const texts = listAt(fieldsAt(scaler, 'spec'), 'metrics').map((metric, i) => metricText(metric, current[i] ?? {}));
  if (texts.length === 0) return '<none>';
  return texts.length > 2 ? `${texts.slice(0, 2).join(', ')} + ${texts.length - 2} more...` : texts.join(', ');
}

/** By the type of a metric: the field that describes it. */
const METRICS: Readonly<Record<string, string>> = {
  Resource: 'resource',
  ContainerResource: 'containerResource',
  Pods: 'pods',
  Object: 'object',
  External: 'external',
};

/** Source: kubernetes/pkg/printers/internalversion formatHPAMetrics. */
function metricText(metric: FieldMap, status: FieldMap): string {
  const type = textAt(metric, 'type');
  const field = METRICS[type];
  if (!field) return '<unknown type>';
  const source = fieldsAt(metric, field);
  const [target, current] = [fieldsAt(source, 'target'), fieldsAt(status, field, 'current')];
  const ratio = (of: string, unit = '') => {
    const value = textAt(current, of);
    return `${value === '' ? '<unknown>' : value + unit}/${textAt(target, of, '<auto>')}${target[of] === undefined ? '' : unit}`;
  };
  const isAverage = target.averageValue !== undefined && target.averageValue !== null;
  if (field === 'resource' || field === 'containerResource')
    return `${textAt(source, 'name')}: ${isAverage ? ratio('averageValue') : ratio('averageUtilization', '%')}`;
  if (field === 'pods') return ratio('averageValue');
  return isAverage ? `${ratio('averageValue')} (avg)` : ratio('value');
}
