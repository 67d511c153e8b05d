import { countText } from './count-text.ts';
import type { Facts } from './hint.ts';

/** Says how many objects the part has that was asked for. */
export const partSize = async ({ plan: { part }, cached }: Facts): Promise<string[]> =>
  part ? [part.countText(countText(cached))] : [];
