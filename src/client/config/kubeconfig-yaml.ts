import { InformerError } from '../../kit/error.ts';
import { yamlFault } from '../../kit/unquoted.ts';

/** What to do about a kubeconfig that cannot be used. */
export const KUBECONFIG_HINT = 'correct that file, or name another with --kubeconfig or KUBECONFIG';

/**
 * The first document of a kubeconfig's text, read as kubectl's YAML library does: `yes` and `no` are switches, merge keys work,
 * dates are text, and of a key that stands twice the last one counts. Undefined for a text that says nothing.
 * Throws `config` with the place of the fault; it quotes nothing of the text, which may be a token. Source: sigs.k8s.io/yaml.
 */
export async function parseKubeconfigYaml(text: string, file: string): Promise<unknown> {
  const yaml = await import('js-yaml');
  const tags = [yaml.nullCoreTag, yaml.boolYaml11Tag, yaml.intCoreTag, yaml.floatCoreTag, yaml.mergeTag, yaml.binaryTag];
  try {
    return yaml.loadAll(text, { schema: new yaml.Schema([...yaml.FAILSAFE_SCHEMA.tags, ...tags]), json: true })[0];
  } catch (cause) {
    throw new InformerError('config', `error loading config file "${file}": ${yamlFault(cause)}`, { hint: KUBECONFIG_HINT });
  }
}
