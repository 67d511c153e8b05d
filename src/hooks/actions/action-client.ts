import type { GroupVersionResource } from '../../model/gvr.ts';
import type { UnknownObject } from '../../model/object.ts';
import type { PatchKind } from '../../model/write-body.ts';

/** The field manager of all writes, as the server records it in managedFields. */
export const FIELD_MANAGER = 'kubectl-informer';

/** `describe` sends nothing. `dry-run` sends writes that the server does not store. `write` writes. */
export type ActionMode = 'describe' | 'dry-run' | 'write';

/** Options of the writes of a hook's client. */
export interface ActionWriteOptions {
  signal?: AbortSignal | undefined;
  dryRun?: boolean | undefined;
  fieldManager?: string | undefined;
  subresource?: string | undefined;
}

/** Options of the patches of a hook's client. */
export interface ActionPatchOptions<P extends PatchKind = PatchKind> extends ActionWriteOptions {
  type: P;
  /** With `apply`: whether fields of other managers are taken over. */
  force?: boolean | undefined;
}

/** The part of a client for one resource type that actions need. A ResourceApi fits. */
export interface ActionResource {
  get(name: string, options?: { signal?: AbortSignal | undefined }): Promise<UnknownObject>;
  create(object: object, options?: ActionWriteOptions): Promise<UnknownObject>;
  patch(name: string, body: unknown, options: ActionPatchOptions): Promise<UnknownObject>;
  delete(name: string, options?: { signal?: AbortSignal | undefined; dryRun?: boolean | undefined }): Promise<unknown>;
}

/** The part of a client that actions need. A Client fits. */
export interface ActionClient {
  resource(gvr: GroupVersionResource, options: { namespace?: string | undefined }): ActionResource;
}
