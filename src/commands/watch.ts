import { BaseCommand } from '../cli/base-command.ts';
import type { ExitCode } from '../cli/exit.ts';
import { bool, connectionFlags, count, duration, habitFlags, list, outputFlags, selectionFlags, text } from '../cli/flags.ts';
import { outputFormatOf, printerOf, representationOf } from '../cli/output.ts';
import { checkSelectors, namespacesOf, openSession } from '../cli/session.ts';
import { changeFilter, eventTypesOf } from '../cli/stream-filters.ts';
import { watch } from '../cli/watching.ts';

export default class WatchCommand extends BaseCommand {
  static override summary = 'stream every change of any resources, for as long as you like';
  static override description =
    'Shows the objects there are, then every change to them, in one stream over several types and namespaces. The stream goes on through ended, broken and silent connections; what could not be seen is told on stderr. stdout carries the events and nothing else.';
  static override usage = 'watch TYPE[,TYPE…] [NAME…] | TYPE/NAME… [FLAGS]';
  static override examples = [
    { description: 'pods and deployments of a namespace', command: '<%= config.bin %> watch pods,deploy -n shop -l app=web' },
    { description: 'what changed, for jq', command: `<%= config.bin %> watch pods -A -o json | jq -c '[.type, .key, .changed]'` },
    { description: 'the next three events only', command: '<%= config.bin %> watch events -A --watch-only --limit 3' },
    { description: 'try it without a cluster', command: '<%= config.bin %> watch pods,deploy -A --sandbox' },
  ];
  static override flags = {
    ...selectionFlags,
    name: text({ summary: 'only objects whose name matches', helpValue: 'REGEX' }),
    'exclude-name': text({ summary: 'no objects whose name matches', helpValue: 'REGEX' }),
    on: list({ summary: 'only these events: added, modified, deleted', helpValue: 'EVENT[,…]', split: true }),
    'watch-only': bool({ summary: 'leave out the state at the start' }),
    once: bool({ summary: 'print the state at the start and end' }),
    limit: count({ summary: 'end after so many events', min: 1 }),
    timeout: duration({ summary: 'end after so long' }),
    strict: bool({ summary: 'end with exit code 4 as soon as changes may have gone unseen' }),
    'verify-every': duration({ summary: 'compare with a fresh list this often, and tell and mend what differs' }),
    ...outputFlags,
    old: bool({ summary: 'with -o json or yaml: the state before, as oldObject' }),
    ...connectionFlags,
    ...habitFlags,
  };

  async execute(): Promise<ExitCode> {
    const { flags, words } = this.read(WatchCommand.flags);
    checkSelectors(flags);
    const format = await outputFormatOf(flags);
    const rules = { shows: changeFilter(flags), on: eventTypesOf(flags.on) };
    await using session = await openSession(flags, this.edges);
    const selections = await session.resolve(words);
    const namespaces = namespacesOf(flags, session.config);
    const layout = { severalTypes: selections.length > 1, severalNamespaces: namespaces.length > 1 || namespaces[0] === '' };
    return await watch(session, {
      ...rules,
      selections,
      namespaces,
      format,
      printer: await printerOf(format, flags, layout, session),
      as: representationOf(format),
      selector: flags.selector,
      fieldSelector: flags['field-selector'],
      keepManagedFields: flags['show-managed-fields'],
      showSecrets: flags['show-secrets'],
      withOld: flags.old,
      once: flags.once,
      strict: flags.strict,
      limit: flags.limit,
      verifyEveryMs: flags['verify-every'],
    });
  }
}
