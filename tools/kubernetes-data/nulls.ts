/** The fields that a server may send as null, by type: `{"io.k8s.api.core.Event": ["eventTime", …]}`. */
export type NullsData = Readonly<Record<string, readonly string[]>>;

/** A Go file with types of the API: its path from `k8s.io` on (`api/core/v1/types.go`), and its text. */
export interface GoFile {
  readonly path: string;
  readonly text: string;
}

/** Packages whose types no server stores. */
const NOT_STORED = /^api\/(admission|apidiscovery|imagepolicy|extensions)\//;

/**
 * Fields that are null in Go only where they were left out, which the server's validation refuses.
 * Source: kubernetes pkg/apis, validation.go of each group.
 */
const VALIDATED: ReadonlySet<string> = new Set([
  ...['ControllerRevision.data', 'DaemonSetSpec.selector', 'DeploymentSpec.selector', 'ReplicaSetSpec.selector'],
  ...['StatefulSetSpec.selector', 'ValidatingWebhook.admissionReviewVersions', 'ValidatingWebhook.sideEffects'],
  ...['MutatingWebhook.admissionReviewVersions', 'MutatingWebhook.sideEffects', 'SuccessPolicy.rules'],
  ...['PodFailurePolicyOnExitCodesRequirement.values', 'CertificateSigningRequestSpec.request'],
  ...['CephFSPersistentVolumeSource.monitors', 'CephFSVolumeSource.monitors', 'RBDPersistentVolumeSource.monitors'],
  ...['RBDVolumeSource.monitors', 'NodeSelector.nodeSelectorTerms', 'TopologySelectorLabelRequirement.values'],
  ...['PodSpec.containers', 'PodExtendedResourceClaimStatus.requestMappings', 'Endpoint.addresses'],
  ...['PolicyRulesWithSubjects.subjects', 'ResourcePolicyRule.apiGroups', 'ResourcePolicyRule.resources'],
  ...['ResourcePolicyRule.verbs', 'NonResourcePolicyRule.nonResourceURLs', 'NonResourcePolicyRule.verbs'],
  ...['HTTPIngressPath.pathType', 'HTTPIngressRuleValue.paths', 'PolicyRule.verbs'],
  ...['OpaqueDeviceConfiguration.parameters', 'CustomResourceDefinitionSpec.versions'],
  ...['WebhookConversion.conversionReviewVersions'],
]);

/**
 * What Go writes as null when it is empty: slices, maps and pointers without `omitempty`; and times and raw objects,
 * which `omitempty` does not leave out. OpenAPI does not say so. What the files do not contain stays as it is.
 */
export function updateNulls(data: NullsData, files: readonly GoFile[]): NullsData {
  const found = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    const group = groupOf(path);
    if (group === undefined || NOT_STORED.test(path)) continue;
    for (const { type, field } of nullFields(text)) {
      const name = `${group}.${type}`;
      found.set(name, (found.get(name) ?? new Set()).add(field));
    }
  }
  const groups = new Set(files.map(({ path }) => groupOf(path)));
  const kept = Object.entries(data).filter(([name]) => !groups.has(name.slice(0, name.lastIndexOf('.'))));
  const fresh = [...found].map(([name, fields]) => [name, [...fields].sort()] as const);
  return Object.fromEntries([...kept, ...fresh].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** `api/core/v1/types.go` → `io.k8s.api.core`: the name that OpenAPI has for the package, without the version. */
function groupOf(path: string): string | undefined {
  const folders = path.split('/').slice(0, -1);
  return /^v\d/.test(folders.at(-1) ?? '') ? ['io.k8s', ...folders.slice(0, -1)].join('.') : undefined;
}

function nullFields(text: string): { readonly type: string; readonly field: string }[] {
  const containers = new Set([...text.matchAll(/^type (\w+) (?:\[|map\[)/gm)].map(([, name]) => name));
  return [...text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)].flatMap(([, type = '', body = '']) =>
    [...body.matchAll(/^\s+\w+\s+(\S+)\s+`.*?json:"([^"]*)"/gm)].flatMap(([, of = '', tag = '']) => {
      const [field = '', ...options] = tag.split(',');
      const isStruct = /^(metav1\.)?(Micro)?Time$|^runtime\.RawExtension$/.test(of);
      const canBeNull = isStruct || /^(\[\]|map\[|\*)/.test(of) || containers.has(of);
      const isLeftOut = options.includes('omitzero') || (options.includes('omitempty') && !isStruct);
      // a server lists no objects as []
      const isOfList = type.endsWith('List') && field === 'items';
      const isNull = canBeNull && !isLeftOut && !isOfList && !['', '-'].includes(field);
      return isNull && !VALIDATED.has(`${type}.${field}`) ? [{ type, field }] : [];
    }),
  );
}
