import { BlockList, isIP } from 'node:net';
import { isLoopback } from './connection-text.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a server according to HTTPS_PROXY, HTTP_PROXY and NO_PROXY; undefined = none. A loopback address has
 * no proxy. The names of the variables may be in lower case.
 * Source: golang.org/x/net/http/httpproxy, which kubectl uses.
 */
export function proxyFromEnvironment(server: string, env: Environment): string | undefined {
  const url = new URL(server);
  const proxy = url.protocol === 'https:' ? either(env, 'HTTPS_PROXY') : either(env, 'HTTP_PROXY');
  if (!proxy || isLoopback(url.hostname) || isExempt(url, either(env, 'NO_PROXY') ?? '')) return undefined;
  return /^[a-z0-9]+:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
}

function either(env: Environment, name: string): string | undefined {
  return env[name] || env[name.toLowerCase()] || undefined;
}

function isExempt(url: URL, noProxy: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const terms = noProxy.toLowerCase().split(',');
  return terms.some((term) => exempts(term.trim(), host, port));
}

function exempts(term: string, host: string, port: string): boolean {
  if (term === '') return false;
  if (term === '*') return true;
  if (term.includes('/')) return inRange(term, host);
  const [, name, wantedPort] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(isIP(term) === 6 ? `[${term}]` : term) ?? [];
  if (wantedPort !== undefined && wantedPort !== port) return false;
  const domain = (name ?? '').replace(/^\*?\./, '');
  return host === domain ? !/^\*?\./.test(name ?? '') : host.endsWith(`.${domain}`);
}

function inRange(range: string, host: string): boolean {
  const [network = '', bits = ''] = range.split('/');
  const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(network) === 0 || isIP(host) === 0 || !/^\d+$/.test(bits)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
}
