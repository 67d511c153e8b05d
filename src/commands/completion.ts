import { BaseCommand } from '../cli/base-command.ts';
import { completionScript } from '../cli/completion/script.ts';
import { SHELLS } from '../cli/completion/words.ts';
import { ExitCode } from '../cli/terminal/exit-codes.ts';
import { InformerError } from '../kit/error.ts';

export default class CompletionCommand extends BaseCommand {
  static override summary = 'Print a script that completes words when you press TAB';
  static override description =
    "Prints the script of a shell for the name kubectl-informer; its first lines say where to put it. `kubectl informer` needs no script: kubectl's own completion runs kubectl_complete-informer, which is installed beside this program.";
  static override usage = `completion ${SHELLS.join('|')}`;
  static override examples = [
    { description: 'For this bash', command: 'source <(kubectl-informer completion bash)' },
    { description: 'For this zsh', command: 'source <(kubectl-informer completion zsh)' },
    {
      description: 'For every fish',
      command: 'kubectl-informer completion fish > ~/.config/fish/completions/kubectl-informer.fish',
    },
  ];
  static override flags = {};

  async execute(): Promise<ExitCode> {
    const { words } = this.read(CompletionCommand.flags);
    const shell = SHELLS.find((each) => each === words[0]);
    if (shell === undefined || words.length > 1) {
      const what = words.length === 0 ? 'which shell?' : `there is no script for ${JSON.stringify(words.join(' '))}`;
      throw new InformerError('argument', what, { hint: `name one of ${SHELLS.join(', ')}` });
    }
    this.edges.io.stdout.write(await completionScript(shell));
    return ExitCode.ok;
  }
}
