import { InformerError } from '../../kit/error.ts';
import { yamlFault } from '../../kit/secret-free-text.ts';
import { plainYaml } from './plain-yaml.ts';

/** The hint of errors about a kubeconfig that cannot be used. */
export const KUBECONFIG_HINT = 'correct that file, or name another with `kubeconfig` or KUBECONFIG';

/**
 * Parses the first document of a kubeconfig as kubectl's YAML library does: `yes` and `no` are booleans, merge keys
 * work, dates are text, and the last of two equal keys counts. Undefined for an empty text.
 * Rejects with `config` and the place of the fault. The error quotes no part of the text, which may be a token.
 * Source: sigs.k8s.io/yaml.
 */
export async function parseKubeconfigYaml(text: string, file: string): Promise<unknown> {
  const plain = plainYaml(text);
  if (plain !== undefined) return plain;
  const yaml = await import('js-yaml');
  const tags = [
    yaml.nullCoreTag,
    yaml.boolYaml11Tag,
    yaml.intCoreTag,
    yaml.floatCoreTag,
    yaml.mergeTag,
    yaml.binaryTag,
  ];
  try {
    return yaml.loadAll(text, { schema: new yaml.Schema([...yaml.FAILSAFE_SCHEMA.tags, ...tags]), json: true })[0];
  } catch (cause) {
    throw new InformerError('config', `error loading config file "${file}": ${yamlFault(cause)}`, {
      hint: KUBECONFIG_HINT,
    });
  }
}
