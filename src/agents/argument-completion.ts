import { formatGroupResource } from '../model/gvr.ts';
import { isWatchable } from '../model/resource-type.ts';
import type { AgentCaches } from './agent-caches.ts';
import type { McpRequest } from './mcp-sdk.ts';

/** Values of one answer: what the protocol allows. */
const MOST = 100;

/**
 * The values that an argument of the resource template may have: names of types, and the namespaces of what is cached.
 * Other arguments have none.
 */
export async function completionOf(caches: AgentCaches, params: McpRequest['params']): Promise<object> {
  const { name = '', value = '' } = (params?.argument ?? {}) as { name?: string; value?: string };
  const all = name === 'type' ? await typeNames(caches) : name === 'namespace' ? namespaces(caches) : [];
  const found = [...new Set(all)].filter((each) => each.startsWith(value)).sort();
  return { values: found.slice(0, MOST), total: found.length, hasMore: found.length > MOST };
}

async function typeNames({ session }: AgentCaches): Promise<string[]> {
  const { types } = await session.client.discovery.snapshot();
  return types.filter((type) => type.preferred && isWatchable(type)).map(({ gvr }) => formatGroupResource(gvr));
}

const namespaces = ({ types }: AgentCaches): string[] =>
  types.targets.flatMap(({ informer }) => informer.lister.indexValues('namespace')).filter((each) => each !== '');
