import { commonType, DYN, listTypeOf, mapTypeOf, type RuleType, STRING } from './rule-types.ts';

/**
 * The functions whose forms are all known, in the notation `receiver.name(arguments) result`. `list` is a list of
 * anything, `strings` a list of strings, `item` the type of the receiver's items.
 * Source: cel-go checker/decls and ext, apiserver pkg/cel/library.
 */
const SIGNATURES = `
size(string) int, size(bytes) int, size(list) int, size(map) int
string.size() int, bytes.size() int, list.size() int, map.size() int
string.contains(string) bool, string.startsWith(string) bool, string.endsWith(string) bool
string.matches(string) bool, matches(string,string) bool
string.lowerAscii() string, string.upperAscii() string, string.trim() string, string.charAt(int) string
string.replace(string,string) string, string.replace(string,string,int) string
string.split(string) strings, string.split(string,int) strings
string.substring(int) string, string.substring(int,int) string
string.indexOf(string) int, string.indexOf(string,int) int, list.indexOf(dyn) int
string.lastIndexOf(string) int, string.lastIndexOf(string,int) int, list.lastIndexOf(dyn) int
string.find(string) string, string.findAll(string) strings, string.findAll(string,int) strings
string.format(list) string, list.join() string, list.join(string) string
list.isSorted() bool, list.min() item, list.max() item, list.sum() item
int(int) int, int(uint) int, int(double) int, int(string) int, int(timestamp) int, int(duration) int
uint(uint) uint, uint(int) uint, uint(double) uint, uint(string) uint
double(double) double, double(int) double, double(uint) double, double(string) double
string(string) string, string(bool) string, string(int) string, string(uint) string, string(double) string
string(bytes) string, string(timestamp) string, string(duration) string
bool(bool) bool, bool(string) bool, bytes(bytes) bytes, bytes(string) bytes
timestamp(timestamp) timestamp, timestamp(string) timestamp, timestamp(int) timestamp
duration(duration) duration, duration(string) duration, duration(int) duration
dyn(dyn) dyn, type(dyn) type
timestamp.getFullYear() int, timestamp.getFullYear(string) int, timestamp.getMonth() int, timestamp.getMonth(string) int
timestamp.getDate() int, timestamp.getDate(string) int
timestamp.getDayOfMonth() int, timestamp.getDayOfMonth(string) int
timestamp.getDayOfWeek() int, timestamp.getDayOfWeek(string) int
timestamp.getDayOfYear() int, timestamp.getDayOfYear(string) int
timestamp.getHours() int, timestamp.getHours(string) int, duration.getHours() int
timestamp.getMinutes() int, timestamp.getMinutes(string) int, duration.getMinutes() int
timestamp.getSeconds() int, timestamp.getSeconds(string) int, duration.getSeconds() int
timestamp.getMilliseconds() int, timestamp.getMilliseconds(string) int, duration.getMilliseconds() int
`;

/** The other functions of the server. Their arguments are not checked. */
const OTHERS = new Set(
  `add sub sign isInteger asInteger asApproximateFloat isGreaterThan isLessThan compareTo quantity isQuantity
  ip isIP isCanonical family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast
  cidr isCIDR containsIP containsCIDR masked prefixLength semver isSemver major minor patch
  url isURL getScheme getHost getHostname getPort getEscapedPath getQuery
  named validate value hasValue or orValue first last unwrap unwrapOpt optMap optFlatMap none of ofNonZeroValue
  flatten slice sort sortBy distinct reverse range quote equivalent intersects bind
  all exists exists_one existsOne map filter transformList transformMap transformMapEntry
  dns1123Label dns1123Subdomain dns1035Label qualifiedName dns1123LabelPrefix dns1123SubdomainPrefix
  dns1035LabelPrefix labelValue uri uuid byte date datetime has greatest least abs ceil floor round trunc
  allowed check error errored fieldSelector group labelSelector name namespace path reason resource
  serviceAccount subresource escapeKey isNaN isInf isFinite bitAnd bitOr bitXor bitNot bitShiftLeft bitShiftRight sqrt encode decode`.split(
    /\s+/,
  ),
);

interface Signature {
  readonly receiver: string | undefined;
  readonly parameters: readonly string[];
  readonly result: string;
}

let signatures: ReadonlyMap<string, readonly Signature[]> | undefined;

function signaturesOf(name: string): readonly Signature[] | undefined {
  signatures ??= Map.groupBy(
    SIGNATURES.matchAll(/(?:(\w+)\.)?(\w+)\(([\w,]*)\) (\w+)/g).map(
      ([, receiver, called = '', given = '', result = '']) => ({
        name: called,
        receiver,
        parameters: given === '' ? [] : given.split(','),
        result,
      }),
    ),
    (signature) => signature.name,
  );
  return signatures.get(name);
}

/** The result of a call; `unknown` if there is no such function, `mismatch` if it does not take these values. */
export function resultOfCall(
  name: string,
  receiver: RuleType | undefined,
  given: readonly RuleType[],
): RuleType | 'unknown' | 'mismatch' {
  const known = signaturesOf(name);
  if (!known) return OTHERS.has(name) ? DYN : 'unknown';
  const found = known.filter(
    (form) =>
      (receiver === undefined) === (form.receiver === undefined) &&
      form.parameters.length === given.length &&
      (receiver === undefined || fits(form.receiver ?? '', receiver)) &&
      form.parameters.every((parameter, i) => fits(parameter, given[i] ?? DYN)),
  );
  const [first, ...more] = new Set(found.map(({ result }) => result));
  if (first === undefined) return 'mismatch';
  return more.length > 0 ? DYN : resultType(first, receiver);
}

const ANY_LIST = listTypeOf(DYN);
const ANY_MAP = mapTypeOf(DYN, DYN);

function namedType(name: string): RuleType {
  if (name === 'list') return ANY_LIST;
  return name === 'map' ? ANY_MAP : ({ kind: name } as RuleType);
}

const fits = (parameter: string, type: RuleType) => commonType(namedType(parameter), type) !== undefined;

function resultType(name: string, receiver: RuleType | undefined): RuleType {
  if (name === 'strings') return listTypeOf(STRING);
  if (name === 'item') return receiver?.kind === 'list' ? receiver.of : DYN;
  return namedType(name);
}
