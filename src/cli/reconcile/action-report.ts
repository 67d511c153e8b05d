import { type ActionMode, type ActionOutcome, describeAction } from '../../controller/hooks/action-runner.ts';
import { changedPaths } from '../../model/changed-paths.ts';
import { fieldChanges } from '../../model/field-changes.ts';
import { changeLines } from '../../output/changes/change-lines.ts';
import { continued } from '../../output/escape.ts';

const LEAD: Readonly<Record<ActionMode, string>> = { describe: 'would ', 'dry-run': 'dry run: ', write: '' };

/** An action for people: a line of what is done, or would be done, and what a dry run found that it would change. */
export function actionText(outcome: ActionOutcome): string {
  return `${continued(reportText(outcome))}\n${diffText(outcome)}`;
}

/** One line an action: what is done, or would be; of a dry run also what it would change. */
function reportText(outcome: ActionOutcome): string {
  const { mode, before, after } = outcome;
  const changes = mode === 'dry-run' && before && after ? changedPaths(before, after) : undefined;
  const effect =
    changes === undefined ? '' : ` → ${changes.length === 0 ? 'changes nothing' : `changes ${changes.join(' ')}`}`;
  return `${outcome.subject}: ${LEAD[mode]}${describeAction(outcome)}${effect}`;
}

/** The fields that a dry run would change, old → new, a line each. */
function diffText({ mode, before, after }: ActionOutcome): string {
  if (mode !== 'dry-run' || !before || !after) return '';
  const signs = { '': ' ', added: '+', removed: '-', changed: '~' };
  const lines = changeLines(fieldChanges(before, after)).map(
    ({ mark, text, parts }) => `    ${signs[mark]} ${text}${parts ? `${parts.before} → ${parts.after}` : ''}\n`,
  );
  return lines.join('');
}
