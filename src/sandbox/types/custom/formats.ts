import { isIP, isIPv4, isIPv6 } from 'node:net';
import { own } from '../own-fields.ts';

/**
 * Whether a text has a format. An unknown format accepts every text, as on a real server. Source: kube-openapi
 * validation/strfmt.
 */
export function hasFormat(format: string, text: string): boolean {
  return own(FORMATS, format)?.(text) ?? true;
}

const UUID = (version: string) =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, 'i');
const HOST = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*\.?$/i;
const DURATION = /^[+-]?((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h|d|w))+$/;

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  byte: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
  cidr: isCidr,
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
  'date-time': (text) =>
    /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:?\d\d)?$/.test(text) && !Number.isNaN(Date.parse(text)),
  datetime: (text) => FORMATS['date-time']?.(text) ?? true,
  duration: (text) => text === '0' || DURATION.test(text),
  email: (text) => /^[^\s@<>]+@[^\s@<>]+$/.test(text),
  hostname: (text) => HOST.test(text),
  ipv4: isIPv4,
  ipv6: isIPv6,
  mac: (text) => /^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(text) || /^([0-9a-f]{4}\.){2}[0-9a-f]{4}$/i.test(text),
  uri: (text) => /^[a-z][a-z0-9+.-]*:\S+$/i.test(text) || text.startsWith('/'),
  uuid: (text) => UUID('[0-9a-f]').test(text),
  uuid3: (text) => UUID('3').test(text),
  uuid4: (text) => UUID('4').test(text),
  uuid5: (text) => UUID('5').test(text),
};

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/');
  return more.length === 0 && /^\d+$/.test(bits) && isIP(address) !== 0 && Number(bits) <= (isIPv4(address) ? 32 : 128);
}
