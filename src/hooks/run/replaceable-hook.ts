import type { Hook, HookRequest, HookRun } from '../hook.ts';

interface Version {
  readonly hook: Hook;
  active: number;
}

/**
 * A hook that can be replaced by another version: runs that begin later have the new one, runs that have begun finish
 * with the one that they have. A version without runs is closed.
 */
export class ReplaceableHook implements Hook {
  readonly #versions = new Set<Version>();
  #current: Version;

  constructor(hook: Hook) {
    this.#current = { hook, active: 0 };
    this.#versions.add(this.#current);
  }

  get name(): string {
    return this.#current.hook.name;
  }

  replace(hook: Hook): void {
    const old = this.#current;
    this.#current = { hook, active: 0 };
    this.#versions.add(this.#current);
    this.#closeUnused(old);
  }

  async run(request: HookRequest, run: HookRun): Promise<unknown> {
    const version = this.#current;
    version.active++;
    try {
      return await version.hook.run(request, run);
    } finally {
      version.active--;
      this.#closeUnused(version);
    }
  }

  kill(): void {
    for (const { hook } of this.#versions) hook.kill?.();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#versions].map(({ hook }) => hook.close?.()));
  }

  #closeUnused(version: Version): void {
    if (version === this.#current || version.active > 0) return;
    void Promise.resolve(version.hook.close?.()).then(() => this.#versions.delete(version));
  }
}
