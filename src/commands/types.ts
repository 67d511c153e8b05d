import { group, text } from '../cli/args/flag.ts';
import { connectionFlags } from '../cli/args/shared-flags.ts';
import { BaseCommand } from '../cli/base-command.ts';
import { generatedTypes, writeTypes } from '../cli/generated-types.ts';
import { openSession } from '../cli/session/session.ts';
import { ExitCode } from '../cli/terminal/exit-codes.ts';
import { InformerError } from '../kit/error.ts';

export default class TypesCommand extends BaseCommand {
  static override summary = 'Write TypeScript types of resources, for hooks and the library';
  static override description =
    'Reads what the cluster says about the fields of its types (OpenAPI v3), custom resources too, and writes an interface for each, with all that it refers to. The same cluster gives the same text.';
  static override usage = 'types TYPE… [--out FILE]';
  static override examples = [
    { description: 'For a hook on Deployments', command: '<%= config.bin %> types deployments --out deployment.ts' },
    {
      description: 'Of a custom resource and a built-in one, in one file',
      command: '<%= config.bin %> types certificates.cert-manager.io secrets -o types.ts',
    },
  ];
  static override flags = {
    ...group('OUTPUT', {
      out: text({ char: 'o', summary: 'file to write (default: stdout)', helpValue: 'FILE', noEnv: true }),
    }),
    ...connectionFlags,
  };

  async execute(): Promise<ExitCode> {
    const { flags, words } = this.read(TypesCommand.flags);
    const { called, io } = this.edges;
    if (words.length === 0)
      throw new InformerError('argument', 'which types?', { hint: `for example: ${called} pods,deployments` });
    await using session = await openSession(flags, this.edges, { once: true });
    const source = await generatedTypes(words, session);
    if (flags.out === undefined) io.stdout.write(source);
    else await writeTypes(flags.out, source);
    return ExitCode.ok;
  }
}
