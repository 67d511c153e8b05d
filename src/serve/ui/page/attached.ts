import type { UiSubject } from '../wire.ts';

/** The page, for a part that is in it only where it is of use: a script of its own, after that of the page. */
export interface AttachedPage {
  /** Shows a moment of the recording, or now again. Resolves when the serve has found it. */
  moveTo(moment: number | undefined): Promise<void>;
  /** Asks the serve. */
  ask<T>(path: 'timeline', body: object): Promise<T>;
  shown(): {
    readonly type: string | undefined;
    readonly kind: string | undefined;
    readonly namespace: string;
    readonly subject: UiSubject | undefined;
  };
}

const NAME = 'kubectlInformerPage';

/** Gives the page to scripts behind it. */
export function attach(page: AttachedPage): void {
  (globalThis as { [NAME]?: AttachedPage })[NAME] = page;
}

/** The page that the script before this one gave. */
export const attachedPage = (): AttachedPage => (globalThis as unknown as { [NAME]: AttachedPage })[NAME];
