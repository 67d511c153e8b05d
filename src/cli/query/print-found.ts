import type { Clock } from '../../kit/clock.ts';
import { formatGvr } from '../../model/gvr.ts';
import { keyOf } from '../../model/key.ts';
import { jqAnswer } from '../../output/jq/jq-expression.ts';
import type { PrintedObject } from '../../output/printer.ts';
import { sameLookIn } from '../../output/row-look.ts';
import type { AnswerSink } from '../../query/answer/answer-sink.ts';
import type { Found } from '../../query/answer/found.ts';
import type { Redactor } from '../../stream/redact.ts';
import { shownObject, unprintableText, whyUnprintable } from '../../stream/shown-object.ts';
import type { QueryPlan } from './read-query.ts';

/** Writes objects in the format of the plan. */
export async function printFound(
  plan: QueryPlan,
  found: readonly Found[],
  { redactor, sink, signal }: { redactor: Redactor; sink: AnswerSink; signal: AbortSignal },
): Promise<void> {
  const show = showing(plan, redactor, sink);
  const shown = { [Symbol.iterator]: () => Iterator.from(found).map(show) };
  const pieces = plan.printer.objects(shown);
  if (plan.output.jq) {
    const where = asksForOne(plan) ? 'the object' : 'the List';
    const run = { clock: sink.clock, signal, terminal: plan.counting.terminal };
    const text = await jqAnswer(plan.output.jq, [...pieces].join(''), where, run);
    await sink.write(text);
    if (text === 'null\n' && !asksForOne(plan)) sink.notice(LIST_FOR_JQ);
  } else for (const piece of pieces) await sink.write(piece);
}

/** Makes of an object what is printed of it. One that cannot be printed is reported. */
export function showing(
  { format, showManagedFields }: QueryPlan,
  redactor: Redactor,
  sink: Pick<AnswerSink, 'notice'>,
): (found: Found) => PrintedObject {
  const options = { redactor, showManagedFields };
  const { naming: named, needsObject: isWhole } = format.traits;
  return ({ object, type }) => {
    const one = shownObject(object, type, options);
    const printed = { object: named && type.cluster !== undefined ? { cluster: type.cluster, ...one } : one, type };
    if (isWhole && whyUnprintable(printed.object) !== undefined)
      sink.notice(unprintableText(`${formatGvr(type.gvr)} ${keyOf(printed.object)}`, printed.object));
    return printed;
  };
}

/** An expression for one object finds nothing in a List. */
const LIST_FOR_JQ = '-o jq gets one List, as -o json prints it; .items[] before the expression gives each object';

const asksForOne = ({ selections: [only, ...others] }: QueryPlan) => others.length === 0 && only?.names.length === 1;

/** Whether two states of an object are printed in the same way. */
export function looksSameIn(plan: QueryPlan, redactor: Redactor, clock: Clock) {
  const { output, noHeaders, showManagedFields, flags } = plan;
  const labels = flags['show-labels'] ? ('all' as const) : (flags['label-columns'] ?? []);
  const options = { redactor, showManagedFields };
  return sameLookIn(
    { output, noHeaders, labels },
    ({ object, type }) => ({ object: shownObject(object, type, options), type }),
    clock,
  );
}
