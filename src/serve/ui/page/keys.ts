import { byId } from './dom.ts';

/** The actions of keys, wherever the focus is but in a box. */
export type KeyActions = Readonly<Record<string, () => void>>;

/** Listens for keys without Ctrl, Alt and Meta. In a box only Escape counts, which leaves it. */
export function listenForKeys(actions: KeyActions, close: () => void): void {
  const help = byId<HTMLDialogElement>('keys');
  byId('help').addEventListener('click', () => help.showModal());
  document.addEventListener('keydown', (event) => {
    const { target, key, ctrlKey, metaKey, altKey } = event;
    if (help.open || ctrlKey || metaKey || altKey || event.defaultPrevented) return;
    const isTyping = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
    if (key === 'Escape') {
      if (isTyping) (target as HTMLElement).blur();
      else close();
      return;
    }
    if (isTyping) return;
    const action = key === '?' ? () => help.showModal() : actions[key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
