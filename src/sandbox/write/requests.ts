import { isJsonMap, parseJson } from '../../kit/exact-json.ts';
import { formatGroupVersion } from '../../model/gvr.ts';
import { joinKey } from '../../model/key.ts';
import type { UnknownObject } from '../../model/object.ts';
import { flag, type ResourceCall } from '../api/call.ts';
import type { ApiResponse } from '../api/exchange.ts';
import { respond } from '../api/respond.ts';
import { applyTo } from '../apply/server-side-apply.ts';
import { checkTyped } from '../apply/typed-problems.ts';
import { type Cluster, timestamp } from '../cluster.ts';
import { find, showObject } from '../read/get.ts';
import { select } from '../read/list.ts';
import { parseListOptions } from '../read/read-options.ts';
import { selectionOf } from '../read/selection.ts';
import { SCALES, showScale } from '../read/show-scale.ts';
import { required } from '../status/field-problems.ts';
import {
  badRequest,
  conflict,
  invalidOptions,
  methodNotAllowed,
  missing,
  notImplemented,
  staleWrite,
} from '../status/statuses.ts';
import type { StoredObject } from '../store/stored-object.ts';
import { fromStorage, presented } from '../types/conversion.ts';
import { copy } from '../types/copy.ts';
import { emptyObject } from '../types/empty-objects.ts';
import { scaleOf, withScale } from '../types/scale.ts';
import { isCreatedByUpdate, returnsDeleted } from '../types/type-strategies.ts';
import type { Backend } from './backend.ts';
import { bind } from './bindings.ts';
import { contentTypeOf, decodeConfiguration, decodeDeleteOptions, decodeObject } from './decode.ts';
import type { Deleter } from './deleter.ts';
import type { Gate, WriteAttempt } from './gate.ts';
import { checkMicroTimes, checkPatchedMicroTimes } from './micro-times.ts';
import { APPLY_PATCH, patched } from './patch.ts';
import {
  checkIsNew,
  checkPatchedTypes,
  checkSameUid,
  checkSize,
  checkTypes,
  reportDuplicateKeys,
  reportPatchedFields,
  within,
  withoutVersion,
} from './request-checks.ts';
import { deleteOptions, orphanWarning, writeOptions } from './request-options.ts';
import { checkNameOf, checkNamespaceOf } from './updated-metadata.ts';
import type { Writer } from './writer.ts';

/** Answers the requests that change objects. */
export class WriteRequests {
  readonly #cluster: Cluster;
  readonly #writer: Writer;
  readonly #deleter: Deleter;
  readonly #gate: Gate | undefined;

  constructor({ cluster, writer, deleter, gate }: Backend) {
    this.#cluster = cluster;
    this.#writer = writer;
    this.#deleter = deleter;
    this.#gate = gate;
  }

  create(call: ResourceCall): ApiResponse {
    checkSize(call);
    this.#checkServed(call);
    const object = decodeObject(call, call.type);
    checkTypes(call, object);
    checkMicroTimes(call.type, object);
    checkNamespaceOf(object, call.namespace);
    const { options, headers } = writeOptions(call, 'CreateOptions');
    return showObject(
      this.#cluster,
      call,
      201,
      this.#writer.create(call.type, within(call, object), options),
      headers(),
    );
  }

  update(call: ResourceCall): ApiResponse {
    if (call.subresource === 'scale') return this.#scale(call, (scale) => ({ ...scale, ...decodeScale(call) }));
    checkSize(call);
    const { type, namespace, name = '' } = call;
    const object = decodeObject(call, type);
    checkTypes(call, object);
    checkMicroTimes(type, object);
    checkNameOf(object, name, namespace);
    const { options, headers } = writeOptions(call, 'UpdateOptions');
    const present = this.#cluster.store.get(type.storage, joinKey(namespace, name));
    const creates = !present && isCreatedByUpdate(type) && !call.subresource;
    if (creates) call.checkMay('create');
    if (creates) checkIsNew(type, object);
    const written = creates
      ? this.#writer.create(type, within(call, withoutVersion(object)), options)
      : this.#writer.update(type, within(call, object), options);
    return showObject(this.#cluster, call, creates ? 201 : 200, written, headers());
  }

  patch(call: ResourceCall): ApiResponse {
    checkSize(call);
    const contentType = contentTypeOf(call);
    if (contentType === APPLY_PATCH) return this.#apply(call);
    const { type } = call;
    if (call.subresource === 'scale') return this.#scale(call, (scale) => patchedScale(call, scale, contentType));
    const current = fromStorage(type, find(this.#cluster, call).object);
    const { options, headers } = writeOptions(call, 'PatchOptions');
    const object = patched(type, current, contentType, call.body);
    if (!isJsonMap(object) || !isJsonMap(object.metadata)) badRequest('the patched object has no metadata');
    const { name = '', namespace } = current.metadata;
    checkPatchedTypes(call, object);
    checkPatchedMicroTimes(type, object);
    reportPatchedFields(call, object, options);
    checkNameOf(object, name, namespace);
    checkSameUid(type, current, object);
    const kept = { ...object, metadata: { ...object.metadata, ...(namespace ? { namespace } : {}) } };
    return showObject(
      this.#cluster,
      call,
      200,
      this.#writer.update(type, kept, { ...options, fieldValidation: 'Ignore' }),
      headers(),
    );
  }

  delete(call: ResourceCall): ApiResponse {
    const { type, namespace, name = '' } = call;
    const options = deleteOptions(call);
    const headers = orphanWarning(type, options);
    const { object, gone } = this.#deleter.delete(type, namespace, name, options);
    if (!gone || returnsDeleted(type)) return showObject(this.#cluster, call, 200, object, headers);
    const { gvr } = type;
    const details = {
      name,
      ...(gvr.group === '' ? {} : { group: gvr.group }),
      kind: gvr.resource,
      uid: object.object.metadata.uid,
    };
    const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
    return respond(200, status, call.representation, headers);
  }

  deleteCollection(call: ResourceCall): ApiResponse {
    const { type, namespace } = call;
    const selection = selectionOf(type, parseListOptions(call, this.#cluster.features));
    const options = deleteOptions(call);
    const { revision } = this.#cluster.store;
    const found = select(this.#cluster, type, namespace, selection);
    for (const object of found) this.#deleter.check(type, object); // all, before the first one is deleted
    for (const { object } of found)
      this.#deleter.delete(type, object.metadata.namespace, object.metadata.name ?? '', { ...options, admitted: true });
    const list = {
      kind: type.listKind,
      apiVersion: apiVersionOf(call),
      metadata: { resourceVersion: String(revision) },
    };
    const items = found.map((o) => itemOf(call, o));
    return respond(200, { ...list, items }, call.representation, orphanWarning(type, options));
  }

  getScale(call: ResourceCall): ApiResponse {
    return showScale(this.#cluster, call, scaleOf(call.type, find(this.#cluster, call).object));
  }

  bind(call: ResourceCall): ApiResponse {
    const { options } = writeOptions(call, 'CreateOptions');
    this.#checkNew(call, BINDING);
    bind(this.#cluster, this.#writer, call, options);
    return respond(
      201,
      { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
      call.representation,
    );
  }

  /** Evicts a pod: deletes it. The sandbox does not enforce disruption budgets. */
  evict(call: ResourceCall): ApiResponse {
    checkEvicted(call);
    this.#checkNew(call, EVICTION);
    this.#deleter.delete(call.type, call.namespace, call.name ?? '', { ...deleteOptions(call), admitted: true });
    return respond(
      201,
      { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
      call.representation,
    );
  }

  /** Asks the gate about what is sent to a subresource that stores no object of its own. */
  #checkNew(call: ResourceCall, kind: NonNullable<WriteAttempt['kind']>): void {
    if (!this.#gate) return;
    const { type, subresource, namespace, name = '' } = call;
    const sent = parseJson(call.body.toString('utf8') || '{}') as UnknownObject;
    const object = { kind: kind.kind, apiVersion: formatGroupVersion(kind.gvr), ...sent };
    const attempt = { operation: 'CREATE' as const, type, kind, subresource, namespace, name, object };
    this.#gate.mutate(attempt);
    this.#gate.validate(attempt);
  }

  /** Throws 405 for a create while the definition of the type is being deleted. */
  #checkServed({ type }: ResourceCall): void {
    const crd = type.custom && this.#cluster.store.get('customresourcedefinitions.apiextensions.k8s.io', type.storage);
    if (crd?.object.metadata.deletionTimestamp) {
      methodNotAllowed('create not allowed while custom resource definition is terminating');
    }
  }

  #scale(call: ResourceCall, change: (scale: UnknownObject) => UnknownObject): ApiResponse {
    const { type, name = '' } = call;
    const current = find(this.#cluster, call).object;
    const scale = change(scaleOf(type, current));
    checkNameOf(scale, name, call.namespace);
    const { options } = writeOptions(call, 'UpdateOptions');
    const updated = this.#writer.update(type, withScale(type, current, scale), options);
    return showScale(this.#cluster, call, scaleOf(type, updated.object));
  }

  #apply(call: ResourceCall): ApiResponse {
    const { type, namespace, name = '' } = call;
    if (call.subresource === 'scale') notImplemented('apply patches of scale');
    if (!call.query.get('fieldManager')) {
      invalidOptions('PatchOptions', required('fieldManager', 'is required for apply patch'));
    }
    const configuration = decodeConfiguration(call, type);
    if (configuration.metadata.name) checkNameOf(configuration, name, namespace);
    if (configuration.metadata.managedFields) badRequest('metadata.managedFields must be nil');
    const { options, headers } = writeOptions(call, 'PatchOptions');
    const current = this.#cluster.store.get(type.storage, joinKey(namespace, name));
    if (!current && call.subresource) missing(type.gvr, name);
    if (!current) call.checkMay('create');
    if (!current) this.#checkServed(call);
    if (!current) checkIsNew(type, { ...configuration, metadata: { ...configuration.metadata, name } }, 'apply');
    checkTyped(type, configuration, name);
    if (options.fieldValidation !== 'Ignore') reportDuplicateKeys(call, options);
    const { uid, resourceVersion } = configuration.metadata;
    if (uid && uid !== current?.object.metadata.uid) {
      conflict(
        type.gvr,
        name,
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current?.object.metadata.uid}`,
      );
    }
    if (resourceVersion && resourceVersion !== current?.object.metadata.resourceVersion) staleWrite(type.gvr, name);
    const named = {
      ...configuration,
      metadata: { ...configuration.metadata, name, ...(namespace ? { namespace } : {}) },
    };
    const live = current ? fromStorage(type, current.object) : emptyObject(type);
    const manager = { name: options.manager, operation: 'Apply' as const, subresource: call.subresource };
    const settings = { force: flag(call.query, 'force'), time: timestamp(this.#cluster.clock.now()) };
    const { object, managedFields } = applyTo(type, live, named, manager, settings);
    const write = { ...options, managedFields, duplicates: [] };
    const own = copy(object);
    const stored = current ? this.#writer.update(type, own, write) : this.#writer.create(type, own, write);
    return showObject(this.#cluster, call, current ? 200 : 201, stored, headers());
  }
}

const BINDING = { gvr: { group: '', version: 'v1', resource: 'bindings' }, kind: 'Binding' };
const EVICTION = { gvr: { group: 'policy', version: 'v1', resource: 'evictions' }, kind: 'Eviction' };

/** Source: kubernetes/pkg/registry/core/pod/storage/eviction.go. */
function checkEvicted(call: ResourceCall): void {
  const { name = call.name } = (decodeDeleteOptions(call).metadata ?? {}) as { name?: string };
  if (name !== call.name) badRequest('name in URL does not match name in Eviction object');
}

function decodeScale(call: ResourceCall): UnknownObject {
  const scale = decodeObject(call, SCALES);
  checkTypes({ ...call, type: SCALES }, scale);
  return scale;
}

function patchedScale(call: ResourceCall, before: UnknownObject, contentType: string): UnknownObject {
  const scale = patched(SCALES, before, contentType, call.body);
  checkPatchedTypes({ ...call, type: SCALES }, scale);
  return scale;
}

function apiVersionOf({ type }: ResourceCall): string {
  return type.gvr.group === '' ? type.gvr.version : `${type.gvr.group}/${type.gvr.version}`;
}

function itemOf({ type }: ResourceCall, stored: StoredObject): object {
  const { kind: _kind, apiVersion: _version, ...item } = presented(type, stored).object;
  return type.custom ? stored.object : item;
}
