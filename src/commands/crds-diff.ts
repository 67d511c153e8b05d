import { choice, group } from '../cli/args/flag.ts';
import { connectionFlags } from '../cli/args/shared-flags.ts';
import { BaseCommand } from '../cli/base-command.ts';
import { openSession } from '../cli/session/session.ts';
import { ExitCode } from '../cli/terminal/exit-codes.ts';
import { writeNotice } from '../cli/terminal/notice.ts';
import { InformerError } from '../kit/error.ts';
import { comparedDefinitions, comparisonText, definitionsIn } from '../manifest/definitions.ts';
import { parseGvr } from '../model/gvr.ts';
import type { UnknownObject } from '../model/object.ts';
import { isNotFound } from '../model/status.ts';
import { parseManifests } from '../sandbox/index.ts';

const DEFINITIONS = parseGvr('apiextensions.k8s.io/v1/customresourcedefinitions');

export default class CrdsDiffCommand extends BaseCommand {
  static override summary = 'Say which change of a CustomResourceDefinition breaks stored objects';
  static override description =
    `Compares the definitions of two files, or those in the cluster with one file, and prints each change with what it breaks. A file is a manifest (- for stdin), or a module that exports what defineResource of kubectl-informer/crds returns. Nothing is written to the cluster.

stored: objects in the store lose data, are refused at their next write, or cannot be read. clients: requests that were accepted are not any more. Exits with 1 if there is a change of the kind of --fail-on.`;
  static override usage = 'crds diff [BEFORE] AFTER [--fail-on stored|clients]';
  static override examples = [
    { description: 'What would this change in the cluster?', command: '<%= config.bin %> crds diff ./operator.ts' },
    {
      description: 'In CI: fail when a change breaks what is stored',
      command: 'git show origin/main:crds.yaml | <%= config.bin %> crds diff - crds.yaml',
    },
  ];
  static override flags = {
    ...group('OUTPUT', {
      'fail-on': choice(['stored', 'clients'], {
        summary: 'which changes make it exit with 1; clients: those that break stored objects, too',
        default: 'stored',
      }),
      output: choice(['text', 'json'], { char: 'o', summary: 'format', default: 'text', noEnv: true }),
    }),
    ...connectionFlags,
  };

  async execute(): Promise<ExitCode> {
    const { flags, words } = this.read(CrdsDiffCommand.flags);
    const [file, other, ...more] = words;
    if (file === undefined || more.length > 0)
      throw new InformerError('argument', 'name one file, or two: before and after', {
        hint: `for example: ${this.edges.called} before.yaml after.yaml`,
      });
    const after = await definitionsIn(other ?? file, parseManifests);
    const before = other === undefined ? await this.#present(after) : await definitionsIn(file, parseManifests);
    const compared = comparedDefinitions(before, after);
    const { io } = this.edges;
    io.stdout.write(flags.output === 'json' ? `${JSON.stringify(compared, null, 4)}\n` : comparisonText(compared));
    const breaking = compared
      .flatMap(({ changes }) => changes)
      .filter(({ breaks }) => breaks === 'stored' || (breaks && flags['fail-on'] === 'clients'));
    if (breaking.length === 0) return ExitCode.ok;
    const what = flags['fail-on'] === 'clients' ? 'stored objects or clients' : 'stored objects';
    writeNotice(io, breaking.length === 1 ? `1 change breaks ${what}` : `${breaking.length} changes break ${what}`);
    return ExitCode.failed;
  }

  /** Those of the same names in the cluster. */
  async #present(wanted: readonly UnknownObject[]): Promise<UnknownObject[]> {
    await using session = await openSession(this.read(CrdsDiffCommand.flags).flags, this.edges, { once: true });
    const api = session.client.resource(DEFINITIONS);
    const found = await Promise.all(
      wanted.map(({ metadata: { name = '' } }) =>
        api.get(name).catch((error) => {
          if (!isNotFound(error)) throw error;
        }),
      ),
    );
    return found.filter((each) => each !== undefined);
  }
}
