import type { CelProgram } from '../../expr/cel/cel.ts';
import { addressesOf } from '../../expr/jsonpath/fields-read.ts';
import { InformerError } from '../../kit/error.ts';
import type { FieldReads } from '../../model/field-path.ts';
import { conditionOf } from '../../stream/conditions/condition.ts';
import { parseForCondition } from '../../stream/conditions/for-condition.ts';
import type { WaitRules } from '../../stream/conditions/wait-rules.ts';
import type { WaitFlags } from '../args/watch-flags.ts';
import { compiledAll, type OwnVariables } from '../session/stream-filters.ts';

export interface Waits {
  /** Undefined when nothing is waited for. */
  readonly rules: WaitRules | undefined;
  /** Something is waited for that means success; `--fail-if` alone does not. */
  readonly isGoal: boolean;
  readonly needsObject: boolean;
  /** Every expression, as it was compiled. */
  readonly programs: readonly CelProgram[];
  /** The fields that are looked at. */
  readonly reads: readonly FieldReads[];
  /** The conditions that `--for` names. */
  readonly conditionsNamed: readonly string[];
}

/** Reads what a stream waits for. Throws `argument` for what cannot be read. */
export async function waitsOf(flags: WaitFlags, options: OwnVariables = {}): Promise<Waits> {
  const [until, untilAny, failIf] = await Promise.all([
    compiledAll(flags.until, 'until', options),
    compiledAll(flags['until-any'], 'until-any', options),
    compiledAll(flags['fail-if'], 'fail-if', options),
  ]);
  const conditions = (flags.for ?? []).map(parseForCondition);
  const isGoal = until.programs.length > 0 || untilAny.programs.length > 0 || conditions.length > 0;
  if (flags.stays !== undefined && !isGoal) {
    throw new InformerError('argument', '--stays needs something that is to hold for that long', {
      hint: 'give --until, --until-any or --for',
    });
  }
  if (!isGoal && failIf.programs.length === 0)
    return { rules: undefined, isGoal, needsObject: false, programs: [], reads: [], conditionsNamed: [] };
  const some = <T>(all: readonly T[]) => (all.length > 0 ? all : undefined);
  return {
    isGoal,
    programs: [until, untilAny, failIf].flatMap(({ programs }) => programs),
    reads: [
      ...[until, untilAny, failIf].flatMap(({ reads }) => reads),
      { flag: '--for', addresses: conditions.flatMap(({ path }) => addressesOf(path ?? '')) },
    ],
    conditionsNamed: conditions.flatMap(({ condition }) => condition ?? []),
    needsObject:
      [until, untilAny, failIf].some(({ needsObject }) => needsObject) ||
      conditions.some(({ kind }) => kind !== 'create' && kind !== 'delete'),
    rules: {
      until: some(until.programs.map(conditionOf)),
      untilAny: some(untilAny.programs.map(conditionOf)),
      failIf: some(failIf.programs.map(conditionOf)),
      for: some(conditions),
      staysMs: flags.stays,
    },
  };
}
