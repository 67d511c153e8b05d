import { InformerError } from '../../kit/error.ts';
import { Redactor } from '../../stream/redact.ts';
import { checkStory } from '../args/story-flags.ts';
import type { Edges } from '../base-command.ts';
import { type HistoryCommandLine, tellOfOne } from '../record/history-run.ts';
import { recordingOfServe } from '../record/serve-recording.ts';
import { namespacesOf } from '../session/session.ts';
import type { ExitCode } from '../terminal/exit-codes.ts';
import { clusterStory } from './cluster-story.ts';
import { recordedStory } from './recorded-story.ts';
import { notOneStory, storyPrinterOf } from './story-output.ts';

/** `history --story`: out of a recording, out of that of a running serve, else from what the cluster still knows. */
export async function historyStory(line: HistoryCommandLine, edges: Edges): Promise<ExitCode> {
  const { flags, words, given } = line;
  const { since, until, limit, logs } = flags;
  checkStory(given, ['from', 'since', 'until', 'limit']);
  const otherwise = notOneStory(edges.called);
  if (words.length === 0) throw otherwise;
  if (flags.from !== undefined && logs !== undefined)
    throw new InformerError('argument', '--logs does nothing beside --from', {
      hint: 'a recording has no log lines; leave out one of them',
    });
  const printer = await storyPrinterOf(flags, edges.io);
  const range = { since, until, limit };
  const isChosen = flags.from !== undefined || logs !== undefined;
  return await tellOfOne(line, edges, {
    served: isChosen ? undefined : await recordingOfServe(flags, edges.io),
    otherwise,
    tell: async (session, selection, asked) => {
      if (asked)
        return await recordedStory(session, selection, { ...asked, namespace: asked.namespace?.[0], printer, range });
      if (until !== undefined)
        throw new InformerError('argument', '--until needs a recording', { hint: '--from FILE names one' });
      const [namespace = ''] = namespacesOf({ namespace: flags.namespace, 'all-namespaces': false }, session.config);
      return await clusterStory(session, selection, {
        namespace,
        printer,
        range,
        logs,
        redactor: new Redactor({ showSecrets: flags['show-secrets'] }),
      });
    },
  });
}
