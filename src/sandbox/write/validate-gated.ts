import { X509Certificate } from 'node:crypto';
import type { UnknownObject } from '../../model/object.ts';
import { invalidValue, required, tooLong, unless } from '../status/field-problems.ts';
import type { FieldProblem } from '../status/statuses.ts';
import { labelValueProblems, qualifiedNameProblems, SUBDOMAIN, SUBDOMAIN_TEXT } from './validate-metadata.ts';
import { fieldsOf, LABEL, LABEL_TEXT } from './validate-pods.ts';

/** Finds the mistakes in objects of the types that feature gates turn on. */

/** Source: kubernetes/pkg/apis/certificates/validation ValidateClusterTrustBundle. */
export function trustBundleProblems({ metadata: { name = '' }, spec }: UnknownObject): FieldProblem[] {
  const { signerName = '', trustBundle = '' } = fieldsOf(spec);
  const signer = String(signerName);
  return [
    ...bundleNameProblems(name, signer),
    ...(signer === '' ? [] : signerProblems(signer)),
    ...anchorProblems(String(trustBundle)),
  ];
}

/** The name of a bundle of a signer begins with the signer, with a colon for each slash. */
function bundleNameProblems(name: string, signer: string): FieldProblem[] {
  const at = 'metadata.name';
  const prefix = signer === '' ? '' : `${signer.replaceAll('/', ':')}:`;
  if (signer === '' && name.includes(':'))
    return [invalidValue(at, name, 'ClusterTrustBundle without signer name must not have ":" in its name')];
  if (!name.startsWith(prefix)) {
    const why = `ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`;
    return [invalidValue(at, name, why)];
  }
  return SUBDOMAIN.test(name.slice(prefix.length)) ? [] : [invalidValue(at, name, SUBDOMAIN_TEXT)];
}

/** Source: kubernetes/pkg/apis/core/validation ValidateSignerName. */
function signerProblems(signer: string): FieldProblem[] {
  const at = 'spec.signerName';
  if (signer === '') return [required(at)];
  const [domain = '', path, ...more] = signer.split('/');
  if (path === undefined || more.length > 0) {
    const why = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalidValue(at, signer, why)];
  }
  const labels = domain.split('.');
  const wrong = labels.find((label) => !LABEL.test(label));
  const short = 'should be a domain with at least two segments separated by dots';
  const wrongPath = path.split('.').find((label) => !SUBDOMAIN.test(label));
  return [
    ...unless(
      wrong === undefined,
      invalidValue(at, domain, `validating label ${JSON.stringify(wrong)}: ${LABEL_TEXT}`),
    ),
    ...(labels.length < 2 ? [invalidValue(at, domain, short)] : []),
    ...unless(
      wrongPath === undefined,
      invalidValue(at, path, `validating label ${JSON.stringify(wrongPath)}: ${SUBDOMAIN_TEXT}`),
    ),
  ];
}

/** The most bytes of a trust bundle. */
const BUNDLE_BYTES = 1_048_576;
const PEM_BLOCK = /-----BEGIN ([^-\n]+)-----\n([^-]*)-----END \1-----/g;

/** The certificates of a bundle are different ones, each of an authority. */
function anchorProblems(bundle: string): FieldProblem[] {
  const at = 'spec.trustBundle';
  if (Buffer.byteLength(bundle) > BUNDLE_BYTES) return [tooLong(at, BUNDLE_BYTES)];
  const blocks = [...bundle.matchAll(PEM_BLOCK)].map(([pem, type = '', content = '']) => ({ pem, type, content }));
  const texts = blocks.flatMap((block, i) => {
    const why = anchorProblem(block);
    return why === undefined ? [] : [`entry ${i} ${why}`];
  });
  if (texts.length === 0) texts.push(...(blocks.length === 0 ? [NO_ANCHOR] : duplicates(blocks.map((b) => b.content))));
  return texts.map((why) => invalidValue(at, '<value omitted>', why));
}

const NO_ANCHOR = 'at least one trust anchor must be provided';

function anchorProblem({ pem, type, content }: { pem: string; type: string; content: string }): string | undefined {
  if (type !== 'CERTIFICATE') return `has bad block type: ${type}`;
  if (content.includes(':')) return 'has PEM block headers';
  try {
    return new X509Certificate(pem).ca ? undefined : 'does not have the CA bit set';
  } catch {
    return 'does not parse as X.509';
  }
}

function duplicates(contents: readonly string[]): string[] {
  const places = new Map<string, number[]>();
  for (const [i, content] of contents.entries()) {
    const key = content.replace(/\s/g, '');
    places.set(key, [...(places.get(key) ?? []), i]);
  }
  return [...places.values()]
    .filter((indices) => indices.length > 1)
    .map((indices) => `duplicate trust anchor (indices [${indices.join(' ')}])`);
}

const UIDS = ['podUID', 'serviceAccountUID', 'nodeUID'];
const NAMES = ['podName', 'serviceAccountName', 'nodeName'];
const HOUR_S = 3600;

/**
 * The signing request itself is not read.
 * Source: kubernetes/pkg/apis/certificates/validation ValidatePodCertificateRequestCreate.
 */
export function certificateRequestProblems({ spec: value }: UnknownObject): FieldProblem[] {
  const spec = fieldsOf(value);
  const signer = String(spec.signerName ?? '');
  const most = /^([^/]*\.)?kubernetes\.io(\/|$)/.test(signer) ? 24 * HOUR_S : 91 * 24 * HOUR_S;
  const seconds = Number(spec.maxExpirationSeconds);
  const range = `must be in the range [${HOUR_S}, ${most}]`;
  return [
    ...signerProblems(signer),
    ...NAMES.filter((name) => !SUBDOMAIN.test(String(spec[name] ?? ''))).map((name) =>
      invalidValue(`spec.${name}`, spec[name] ?? '', SUBDOMAIN_TEXT),
    ),
    ...UIDS.filter((name) => !spec[name]).map((name) => invalidValue(`spec.${name}`, '', 'must not be empty')),
    ...(seconds >= HOUR_S && seconds <= most ? [] : [invalidValue('spec.maxExpirationSeconds', seconds, range)]),
    ...(spec.stubPKCS10Request ? [] : [{ field: 'spec', reason: 'FieldValueInvalid', detail: NO_KEY } as const]),
  ];
}

const NO_KEY = 'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set';

/** Source: kubernetes/pkg/apis/resource/validation validateDeviceTaint. */
export function deviceTaintProblems({ spec }: UnknownObject): FieldProblem[] {
  const { key = '', value = '', effect } = fieldsOf(fieldsOf(spec).taint);
  return [
    ...qualifiedNameProblems(String(key)).map((why) => invalidValue('spec.taint.key', key, why)),
    ...labelValueProblems(String(value)).map((why) => invalidValue('spec.taint.value', value, why)),
    ...(effect ? [] : [required('spec.taint.effect')]),
  ];
}

const DNS_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const DNS_1035_TEXT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

/** Source: kubernetes/pkg/apis/storagemigration/validation ValidateStorageVersionMigration. */
export function migrationProblems({ spec }: UnknownObject): FieldProblem[] {
  const { group = '', resource = '' } = fieldsOf(fieldsOf(spec).resource);
  const at = 'spec.resource.resource';
  const named = DNS_1035.test(String(resource));
  return [
    ...(resource === '' ? [required(at, 'resource is required to be set')] : []),
    ...(resource === '' || named ? [] : [invalidValue(at, resource, DNS_1035_TEXT)]),
    ...(group === '' || SUBDOMAIN.test(String(group))
      ? []
      : [invalidValue('spec.resource.group', group, SUBDOMAIN_TEXT)]),
  ];
}
