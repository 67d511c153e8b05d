import { InformerError } from '../kit/error.ts';
import { nearest } from '../kit/nearest.ts';

/** The gates that kube-apiserver's `--feature-gates` has, and the abilities of a server that they turn on. */
const GATES = {
  /** Lists and watches of a part of a collection, by hash. Source: KEP-5866. */
  ShardedListAndWatch: 'shardedListAndWatch',
  /** Answers without managedFields where Accept asks for that. Source: KEP-5958. */
  ManagedFieldsOptOut: 'managedFieldsOptOut',
  /** Streaming lists as gzip. Source: apiserver endpoints/handlers/watch.go of 1.37. */
  WatchListCompression: 'watchListCompression',
  // a type that a server has since 1.37: ClusterTrustBundle and PodCertificateRequest of certificates.k8s.io/v1,
  // DeviceTaintRule of resource.k8s.io/v1, StorageVersionMigration of storagemigration.k8s.io/v1
  ClusterTrustBundle: 'clusterTrustBundle',
  PodCertificateRequest: 'podCertificateRequest',
  DRADeviceTaintRules: 'draDeviceTaintRules',
  StorageVersionMigrator: 'storageVersionMigrator',
} as const;

/** How a gate is turned on. */
export const GATE_EXAMPLE = `${Object.keys(GATES)[0]}=true`;

export type Features = Readonly<Record<(typeof GATES)[keyof typeof GATES], boolean>>;

/** Reads texts like {@link GATE_EXAMPLE}. Throws `argument` for what is not NAME=true or NAME=false, or an unknown name. */
export function parseFeatureGates(texts: readonly string[]): Readonly<Record<string, boolean>> {
  const gates = texts.map((text): [string, boolean] => {
    const [, name = '', value] = /^([^=]*)=(true|false)$/.exec(text.trim()) ?? [];
    if (value === undefined) {
      throw new InformerError(
        'argument',
        `invalid feature gate ${JSON.stringify(text)}: expected NAME=true or NAME=false`,
        {
          hint: `for example ${GATE_EXAMPLE}`,
        },
      );
    }
    return [name, value === 'true'];
  });
  const named = Object.fromEntries(gates);
  featuresOf(named);
  return named;
}

/** The features of a server with these gates. Throws `argument` for an unknown name. */
export function featuresOf(gates: Readonly<Record<string, boolean>> = {}): Features {
  const unknown = Object.keys(gates).find((name) => !Object.hasOwn(GATES, name));
  if (unknown !== undefined) {
    const [near] = nearest(unknown, Object.keys(GATES));
    throw new InformerError('argument', `the sandbox has no feature gate ${JSON.stringify(unknown)}`, {
      hint: near ? `did you mean ${near}?` : `it has ${Object.keys(GATES).join(', ')}`,
    });
  }
  const features = Object.entries(GATES).map(([name, feature]) => [feature, gates[name] === true]);
  return Object.fromEntries(features) as Features;
}
