import { choice, group } from '../cli/args/flag.ts';
import { BaseCommand } from '../cli/base-command.ts';
import { ExitCode } from '../cli/terminal/exit-codes.ts';
import { InformerError } from '../kit/error.ts';
import { definitionsIn } from '../manifest/definitions.ts';
import { toYaml } from '../output/objects/yaml.ts';
import { parseManifests } from '../sandbox/index.ts';

export default class CrdsCommand extends BaseCommand {
  static override summary = 'Print the CustomResourceDefinitions that a module makes from schemas';
  static override description =
    'Loads modules that export what defineResource of kubectl-informer/crds returns, and prints their definitions for kubectl apply. Code at the top level of a module runs when it is loaded.';
  static override usage = 'crds FILE… [-o json]';
  static override examples = [
    { description: 'Install them', command: '<%= config.bin %> crds ./operator.ts | kubectl apply -f -' },
  ];
  static override flags = group('OUTPUT', {
    output: choice(['yaml', 'json'], { char: 'o', summary: 'format', default: 'yaml', noEnv: true }),
  });

  async execute(): Promise<ExitCode> {
    const { flags, words } = this.read(CrdsCommand.flags);
    if (words.length === 0)
      throw new InformerError('argument', 'which file?', { hint: `for example: ${this.edges.called} ./operator.ts` });
    const items = (await Promise.all(words.map((file) => definitionsIn(file, parseManifests)))).flat();
    this.edges.io.stdout.write(
      flags.output === 'json'
        ? `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 4)}\n`
        : items.map((each) => toYaml(each)).join('---\n'),
    );
    return ExitCode.ok;
  }
}
