import { featuresOf } from '../../src/sandbox/feature-gates.ts';

/** The gates of the types that a server has since 1.37, by the names that kube-apiserver gives them. */
export const GATES_OF_1_37 = {
  ClusterTrustBundle: true,
  PodCertificateRequest: true,
  DRADeviceTaintRules: true,
  StorageVersionMigrator: true,
};

/** The features of a server that serves every type. */
export const EVERY_TYPE: Readonly<Record<string, boolean>> = { ...featuresOf(GATES_OF_1_37) };
