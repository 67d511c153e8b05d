import type { compileCel, OBJECT_VARIABLES } from './cel.ts';
import type { addressesRead, textsCompared } from './fields-read.ts';
import type { fieldsSeen } from './fields-seen.ts';
import type { pushDown, requiredTexts } from './push-down.ts';
import { readsBeyond } from './walk.ts';

/** The CEL compiler and what analyses its programs. See {@link loadCel}. */
export interface Cel {
  readonly compileCel: typeof compileCel;
  readonly pushDown: typeof pushDown;
  readonly requiredTexts: typeof requiredTexts;
  readonly OBJECT_VARIABLES: typeof OBJECT_VARIABLES;
  readonly readsBeyond: typeof readsBeyond;
  readonly addressesRead: typeof addressesRead;
  readonly textsCompared: typeof textsCompared;
  readonly fieldsSeen: typeof fieldsSeen;
}

/** Loads the CEL compiler on first use, so that commands without an expression start faster. */
export async function loadCel(): Promise<Cel> {
  const [cel, { pushDown, requiredTexts }, { addressesRead, textsCompared }, { fieldsSeen }] = await Promise.all([
    import('./cel.ts'),
    import('./push-down.ts'),
    import('./fields-read.ts'),
    import('./fields-seen.ts'),
  ]);
  return {
    compileCel: cel.compileCel,
    pushDown,
    requiredTexts,
    OBJECT_VARIABLES: cel.OBJECT_VARIABLES,
    readsBeyond,
    addressesRead,
    textsCompared,
    fieldsSeen,
  };
}
