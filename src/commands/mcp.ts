import { mcpFlags } from '../cli/args/mcp-flags.ts';
import { BaseCommand } from '../cli/base-command.ts';
import { readsForAnother } from '../cli/record/process-limits.ts';
import type { ExitCode } from '../cli/terminal/exit-codes.ts';

export default class McpCommand extends BaseCommand {
  static override summary = 'Answer AI agents over the Model Context Protocol, read-only';
  static override description =
    'A server of the Model Context Protocol on stdin and stdout, for the configuration of an agent. Agents count, select, follow and wait with the words of `query` and `watch`; answers are short, say how current they are, and show values of Secrets as marks. It reads from a running `serve`, or is one itself. It needs the package @modelcontextprotocol/sdk.';
  static override usage = 'mcp [TYPE[,TYPE…]] [FLAGS]';
  static override examples = [
    { description: 'As the configuration of an agent starts it', command: '<%= config.bin %> mcp' },
    {
      description: 'With types that are cached before the first question',
      command: '<%= config.bin %> mcp pods,deploy,events',
    },
    {
      description: 'With a log of all that agents ask',
      command: '<%= config.bin %> mcp --log-file agents.jsonl',
    },
    { description: 'Without a cluster', command: '<%= config.bin %> mcp --sandbox' },
  ];
  static override flags = mcpFlags;

  async execute(): Promise<ExitCode> {
    if (readsForAnother(this.edges.io.env))
      return (await import('../agents/recorded-tools.ts')).answerAsReader(this.edges);
    const { flags, words } = this.read(McpCommand.flags);
    const { mcp } = await import('../agents/mcp-run.ts');
    return mcp(flags, words, this.edges);
  }
}
