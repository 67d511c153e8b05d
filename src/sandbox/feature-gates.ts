import { InformerError } from '../kit/error.ts';
import { nearest } from '../kit/nearest.ts';
import type { Features } from './cluster.ts';

/** The features by the names that kube-apiserver's `--feature-gates` has for them. */
const GATES: Readonly<Record<string, keyof Features>> = {
  ShardedListAndWatch: 'shardedListAndWatch',
  ManagedFieldsOptOut: 'managedFieldsOptOut',
  WatchListCompression: 'watchListCompression',
  ClusterTrustBundle: 'clusterTrustBundle',
  PodCertificateRequest: 'podCertificateRequest',
  DRADeviceTaintRules: 'draDeviceTaintRules',
  StorageVersionMigrator: 'storageVersionMigrator',
};

/** Reads `ShardedListAndWatch=true,…`. Throws `argument` for what is not NAME=true or NAME=false, or an unknown name. */
export function parseFeatureGates(texts: readonly string[]): Readonly<Record<string, boolean>> {
  const gates = texts.map((text): [string, boolean] => {
    const [, name = '', value] = /^([^=]*)=(true|false)$/.exec(text.trim()) ?? [];
    if (value === undefined) {
      throw new InformerError(
        'argument',
        `invalid feature gate ${JSON.stringify(text)}: expected NAME=true or NAME=false`,
        {
          hint: `for example ${Object.keys(GATES)[0]}=true`,
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
  const on = (feature: keyof Features) => Object.entries(gates).some(([name, isOn]) => isOn && GATES[name] === feature);
  return {
    shardedListAndWatch: on('shardedListAndWatch'),
    managedFieldsOptOut: on('managedFieldsOptOut'),
    watchListCompression: on('watchListCompression'),
    clusterTrustBundle: on('clusterTrustBundle'),
    podCertificateRequest: on('podCertificateRequest'),
    draDeviceTaintRules: on('draDeviceTaintRules'),
    storageVersionMigrator: on('storageVersionMigrator'),
  };
}
