import type { compileCel, OBJECT_VARIABLES } from './cel.ts';
import { readsBeyond } from './cel-walk.ts';
import type { pushDown } from './push-down.ts';

/** What {@link loadCel} gives. */
export interface Cel {
  readonly compileCel: typeof compileCel;
  readonly pushDown: typeof pushDown;
  readonly OBJECT_VARIABLES: typeof OBJECT_VARIABLES;
  readonly readsBeyond: typeof readsBeyond;
}

/** The CEL compiler, loaded when it is first asked for: commands without an expression never pay for it. */
export async function loadCel(): Promise<Cel> {
  const [cel, { pushDown }] = await Promise.all([import('./cel.ts'), import('./push-down.ts')]);
  return { compileCel: cel.compileCel, pushDown, OBJECT_VARIABLES: cel.OBJECT_VARIABLES, readsBeyond };
}
