import { expect, it } from 'vitest';
import { featuresOf, parseFeatureGates } from '../../src/sandbox/feature-gates.ts';
import { Sandbox } from '../../src/sandbox/index.ts';

it('are off unless they are named, and read as kube-apiserver reads them', () => {
  const off = {
    shardedListAndWatch: false,
    managedFieldsOptOut: false,
    watchListCompression: false,
    clusterTrustBundle: false,
    podCertificateRequest: false,
    draDeviceTaintRules: false,
    storageVersionMigrator: false,
  };
  expect(featuresOf()).toEqual(off);
  expect(featuresOf(parseFeatureGates(['ShardedListAndWatch=true']))).toEqual({ ...off, shardedListAndWatch: true });
  expect(featuresOf(parseFeatureGates(['ShardedListAndWatch=false']))).toEqual(off);
  const newer = parseFeatureGates(['ManagedFieldsOptOut=true', 'WatchListCompression=true']);
  expect(featuresOf(newer)).toEqual({ ...off, managedFieldsOptOut: true, watchListCompression: true });
  const types = parseFeatureGates(['ClusterTrustBundle=true', 'DRADeviceTaintRules=true']);
  expect(featuresOf(types)).toEqual({ ...off, clusterTrustBundle: true, draDeviceTaintRules: true });
});

it.each([
  ['ShardedListAndWatch', 'invalid feature gate "ShardedListAndWatch": expected NAME=true or NAME=false'],
  ['ShardedListAndWatch=yes', 'invalid feature gate "ShardedListAndWatch=yes": expected NAME=true or NAME=false'],
  ['ShardedListWatch=true', 'the sandbox has no feature gate "ShardedListWatch"'],
])('%s is refused', (text, message) => expect(() => parseFeatureGates([text])).toThrow(message));

it('that is unknown is refused by the library too, with what was meant', async () => {
  await expect(Sandbox.start({ socket: false, featureGates: { ShardedListWatch: true } })).rejects.toMatchObject({
    code: 'argument',
    hint: 'did you mean ShardedListAndWatch?',
  });
});
