import { BlockList, isIP } from 'node:net';
import type { UnknownObject } from '../../model/object.ts';
import { forbiddenValue, invalidValue, required, unless } from '../status/field-problems.ts';
import type { FieldProblem } from '../status/statuses.ts';
import { SUBDOMAIN, SUBDOMAIN_TEXT } from './validate-metadata.ts';
import { fieldsOf, itemsOf } from './validate-pods.ts';

type Fields = Record<string, unknown>;

const CIDR_TEXT = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
const IP_TEXT = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

interface Block {
  readonly address: string;
  readonly bits: number;
  readonly family: 'ipv4' | 'ipv6';
}

function blockOf(text: unknown): Block | undefined {
  const [address = '', bits = '', ...more] = String(text).split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0 || !/^\d{1,3}$/.test(bits)) return undefined;
  const most = version === 4 ? 32 : 128;
  return Number(bits) <= most ? { address, bits: Number(bits), family: version === 4 ? 'ipv4' : 'ipv6' } : undefined;
}

/** Source: kubernetes/pkg/apis/networking/validation ValidateNetworkPolicySpec. */
export function networkPolicyProblems({ spec }: UnknownObject): FieldProblem[] {
  const { ingress, egress } = fieldsOf(spec);
  return [
    ...itemsOf(ingress).flatMap((rule, i) => peersProblems(rule.from, `spec.ingress[${i}].from`)),
    ...itemsOf(egress).flatMap((rule, i) => peersProblems(rule.to, `spec.egress[${i}].to`)),
  ];
}

function peersProblems(peers: unknown, at: string): FieldProblem[] {
  return itemsOf(peers).flatMap((peer, i): FieldProblem[] => {
    const { podSelector, namespaceSelector, ipBlock } = peer;
    const others = [podSelector, namespaceSelector].filter((selector) => selector !== undefined).length;
    if (ipBlock && others > 0) {
      const detail = 'may not specify both ipBlock and another peer';
      return [forbiddenValue(`${at}[${i}]`, detail)];
    }
    if (ipBlock) return ipBlockProblems(fieldsOf(ipBlock), `${at}[${i}].ipBlock`);
    return others === 0 ? [required(`${at}[${i}]`, 'must specify a peer')] : [];
  });
}

function ipBlockProblems({ cidr, except }: Fields, at: string): FieldProblem[] {
  if (!cidr) return [required(`${at}.cidr`)];
  const whole = blockOf(cidr);
  if (!whole) return [invalidValue(`${at}.cidr`, cidr, CIDR_TEXT)];
  const parts: readonly unknown[] = Array.isArray(except) ? except : [];
  return parts.flatMap((part, i) => {
    const block = blockOf(part);
    if (!block) return [invalidValue(`${at}.except[${i}]`, part, CIDR_TEXT)];
    return unless(
      isInside(block, whole),
      invalidValue(`${at}.except[${i}]`, part, 'must be a strict subset of `cidr`'),
    );
  });
}

function isInside(part: Block, whole: Block): boolean {
  if (part.family !== whole.family || part.bits <= whole.bits) return false;
  const list = new BlockList();
  list.addSubnet(whole.address, whole.bits, whole.family);
  return list.check(part.address, part.family);
}

/** Source: kubernetes/pkg/apis/networking/validation validateIngressSpec. */
export function ingressProblems({ spec }: UnknownObject): FieldProblem[] {
  const { defaultBackend, rules } = fieldsOf(spec);
  if (itemsOf(rules).length === 0 && !defaultBackend)
    return [invalidValue('spec', null, 'either `defaultBackend` or `rules` must be specified')];
  return itemsOf(rules).flatMap(({ host, http }, i) => [
    ...hostProblems(host, `spec.rules[${i}].host`),
    ...itemsOf(fieldsOf(http).paths).flatMap((path, j) => pathProblems(path, `spec.rules[${i}].http.paths[${j}]`)),
  ]);
}

function hostProblems(host: unknown, at: string): FieldProblem[] {
  if (!host) return [];
  const name = String(host);
  if (isIP(name) !== 0) return [invalidValue(at, name, 'must be a DNS name, not an IP address')];
  if (name.startsWith('*.')) return [];
  return SUBDOMAIN.test(name) ? [] : [invalidValue(at, name, SUBDOMAIN_TEXT)];
}

function pathProblems({ path = '', pathType }: Fields, at: string): FieldProblem[] {
  if (!pathType) return [required(`${at}.pathType`, 'pathType must be specified')];
  const needsPath = pathType === 'Exact' || pathType === 'Prefix' || path !== '';
  return needsPath && !String(path).startsWith('/')
    ? [invalidValue(`${at}.path`, path, 'must be an absolute path')]
    : [];
}

/** Source: kubernetes/pkg/apis/discovery/validation. */
export function endpointSliceProblems({ addressType, endpoints }: UnknownObject): FieldProblem[] {
  if (addressType !== 'IPv4' && addressType !== 'IPv6') return [];
  return itemsOf(endpoints).flatMap(({ addresses }, i) =>
    (Array.isArray(addresses) ? addresses : []).flatMap((address, j) => {
      const at = `endpoints[${i}].addresses[${j}]`;
      const version = isIP(String(address));
      if (version === 0) return [invalidValue(at, address, IP_TEXT)];
      return unless(
        version === (addressType === 'IPv4' ? 4 : 6),
        invalidValue(at, address, `must be an ${addressType} address`),
      );
    }),
  );
}
