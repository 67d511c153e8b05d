import { type ActionOutcome, describeAction } from '../hooks/action-runner.ts';
import { dryRunText } from './dry-run-report.ts';
import { continued } from './escape.ts';
import type { Painter } from './painter.ts';

/** Actions about one object for people: a line of what is done, or would be done; of a dry run what it would change. */
export function actionText(outcomes: readonly ActionOutcome[], painter: Painter): string {
  if (outcomes[0]?.mode === 'dry-run') return dryRunText(outcomes, painter);
  const lines = outcomes.map(
    (outcome) => `${outcome.subject}: ${outcome.mode === 'describe' ? 'would ' : ''}${describeAction(outcome)}`,
  );
  return lines.map((line) => `${continued(line)}\n`).join('');
}
