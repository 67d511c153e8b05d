import type { Client } from '../client/client.ts';
import { InformerError } from '../kit/error.ts';
import { formatGroupVersion } from '../model/gvr.ts';
import type { ResourceType } from '../model/resource-type.ts';

/**
 * The type that hooks mean by a kind: its name in any case, plural or singular, or a short one, in a group and version,
 * else where the server prefers it. Rejects with `discovery` if the server has none.
 */
export async function findType({ discovery }: Client, apiVersion: string, kind: string): Promise<ResourceType> {
  const word = kind.toLowerCase();
  const isMeant = ({ gvr, kind: name, singular, shortNames, preferred }: ResourceType) =>
    [name.toLowerCase(), gvr.resource, singular, ...shortNames].includes(word) &&
    (apiVersion === '' ? preferred : formatGroupVersion(gvr) === apiVersion);
  const look = async () => (await discovery.snapshot()).types.find(isMeant);
  let found = await look();
  if (!found && !discovery.isFresh()) {
    await discovery.invalidate();
    found = await look();
  }
  if (found) return found;
  const at = apiVersion === '' ? '' : ` in ${apiVersion}`;
  throw new InformerError('discovery', `the server has no kind ${kind}${at}`, {
    hint: 'is its CustomResourceDefinition installed? kubectl api-resources lists what there is',
  });
}
