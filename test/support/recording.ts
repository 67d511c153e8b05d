import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { StoreKind } from '../../src/informer/compact/compact-store.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import { silentLogger } from '../../src/kit/logger.ts';
import { parseGvr } from '../../src/model/gvr.ts';
import type { UnknownObject } from '../../src/model/object.ts';
import type { ResourceType } from '../../src/model/resource-type.ts';
import { Recorder, type RecorderOptions } from '../../src/record/recorder.ts';
import { Sandbox } from '../../src/sandbox/index.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';

/** A folder of its own for each test. */
export function useFolder(): { readonly file: (name: string) => string } {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'recording-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  return { file: (name) => path.join(folder, name) };
}

/** A server in this process whose time the test moves. */
export async function recordedServer(options: Partial<Parameters<typeof Sandbox.start>[0]> = {}) {
  const clock = new FakeClock();
  const sandbox = await Sandbox.start({ socket: false, token: 'recorded', clock, ...options });
  const client = createClient(sandbox.transport(), { clock, logger: silentLogger });
  const typeOf = async (gvr: string): Promise<ResourceType> => {
    const { types } = await client.discovery.snapshot();
    const { group, resource } = parseGvr(gvr);
    return types.find((type) => type.gvr.group === group && type.gvr.resource === resource) as ResourceType;
  };
  return { clock, sandbox, client, typeOf };
}

export type RecordedServer = Awaited<ReturnType<typeof recordedServer>>;

interface CacheOptions {
  readonly managedFieldsAsText?: boolean;
  readonly store?: StoreKind;
  /** One source for each. Absent: one for all. */
  readonly namespaces?: readonly string[];
}

/** A command that records types of a server until it is ended. */
export async function recording(
  { clock, client, typeOf }: RecordedServer,
  gvrs: readonly string[],
  {
    managedFieldsAsText,
    store = 'objects',
    namespaces,
    ...options
  }: Pick<RecorderOptions, 'file'> & Partial<RecorderOptions> & CacheOptions,
) {
  const notices: string[] = [];
  const controller = new AbortController();
  const recorder = Recorder.open({ clock, command: 'watch', notice: (text) => notices.push(text), ...options });
  const informers = await Promise.all(
    gvrs.map(async (gvr) => {
      const type = await typeOf(gvr);
      const of = (namespace?: string) =>
        client.resource(type.gvr, { as: { table: 'Object' }, managedFieldsAsText, namespace });
      const source = namespaces?.map((namespace) => ({ source: of(namespace), namespace })) ?? of();
      const informer = new SharedInformer<UnknownObject>(source, { clock, logger: silentLogger, store });
      recorder.follow({ type, informer, namespaces });
      return informer;
    }),
  );
  const running = informers.map((informer) => informer.run(controller.signal));
  const recorded = recorder.run(controller.signal);
  await clock.advance(1_000);
  return {
    notices,
    informers,
    /** Ends it in order. */
    async end(): Promise<void> {
      controller.abort();
      await Promise.all([...running, recorded]);
    },
  };
}
