import type { compileCel, OBJECT_VARIABLES } from './cel.ts';
import type { addressesRead } from './cel-addressed.ts';
import { readsBeyond } from './cel-walk.ts';
import type { pushDown } from './push-down.ts';

/** What {@link loadCel} gives. */
export interface Cel {
  readonly compileCel: typeof compileCel;
  readonly pushDown: typeof pushDown;
  readonly OBJECT_VARIABLES: typeof OBJECT_VARIABLES;
  readonly readsBeyond: typeof readsBeyond;
  readonly addressesRead: typeof addressesRead;
}

/** The CEL compiler, loaded when it is first asked for: commands without an expression never pay for it. */
export async function loadCel(): Promise<Cel> {
  const [cel, { pushDown }, { addressesRead }] = await Promise.all([
    import('./cel.ts'),
    import('./push-down.ts'),
    import('./cel-addressed.ts'),
  ]);
  return { compileCel: cel.compileCel, pushDown, OBJECT_VARIABLES: cel.OBJECT_VARIABLES, readsBeyond, addressesRead };
}
