import type { Client } from '../client/client.ts';
import { resolveResourceArgs } from '../client/discovery/resource-args.ts';
import { InformerError, isInformerError } from '../kit/error.ts';
import { formatGroupResource, formatGvr } from '../model/gvr.ts';
import { isWatchable, type ResourceType } from '../model/resource-type.ts';
import { type CheckResult, failed, ok, problem } from './finding.ts';

const VERSION = /^v\d+((alpha|beta)\d+)?$/;

/** The types of a command line, each once. Throws `argument` for an empty word and for the name of an object. */
export function typeWords(words: readonly string[]): string[] {
  const all = words.flatMap((word) => word.split(','));
  for (const word of all) {
    const [first = '', second, third] = word.split('/');
    const isName = third === undefined ? second !== undefined && !VERSION.test(first) : !VERSION.test(second ?? '');
    if (word !== '' && !isName) continue;
    throw new InformerError('argument', `doctor takes types, and ${JSON.stringify(word)} is none`, {
      hint: 'name types alone: doctor pods deployments.apps apps/v1/deployments',
    });
  }
  return all.length > 0 ? [...new Set(all)] : ['pods'];
}

/** Whether the server has a type, and can list and watch it. `onTypes` gets what the word means. */
export async function typeFound(
  client: Client,
  word: string,
  onTypes: (types: readonly ResourceType[]) => void,
): Promise<CheckResult> {
  try {
    const types = (await resolveResourceArgs([word], client.mapper)).map(({ type }) => type);
    const unwatchable = types.filter((type) => !isWatchable(type));
    const names = types.map(({ gvr }) => formatGvr(gvr)).join(', ');
    if (unwatchable.length > 0 && types.length === 1)
      return problem(
        `${names} cannot be listed and watched, by its definition`,
        `kubectl api-resources --verbs=list,watch shows the types that can`,
      );
    onTypes(types);
    return ok(names);
  } catch (error) {
    if (isInformerError(error, 'discovery'))
      return failed(error, 'kubectl api-resources shows the types of this server');
    throw error;
  }
}

export const groupedName = ({ gvr }: ResourceType) => formatGroupResource(gvr);
