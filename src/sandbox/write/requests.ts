import { joinKey } from '../../model/key.ts';
import type { UnknownObject } from '../../model/object.ts';
import { isMap } from '../apply/fields.ts';
import { applyTo } from '../apply/server-side-apply.ts';
import { type Cluster, timestamp } from '../cluster.ts';
import type { FieldValidation } from '../crd/custom-resource.ts';
import { flag, managerOf, type ResourceCall } from '../http/call.ts';
import type { ApiResponse } from '../http/exchange.ts';
import { respond } from '../http/respond.ts';
import { badRequest, invalid, invalidOptions, missing, notImplemented, staleWrite } from '../http/statuses.ts';
import { find, showObject } from '../read/get.ts';
import { select } from '../read/list.ts';
import { parseListOptions } from '../read/read-options.ts';
import { selectionOf } from '../read/selection.ts';
import type { StoredObject } from '../store/stored-object.ts';
import { fromStorage, presented } from './conversion.ts';
import { copy } from './copy.ts';
import { contentTypeOf, decodeConfiguration, decodeDeleteOptions, decodeObject } from './decode.ts';
import type { DeleteOptions, Deleter } from './deleter.ts';
import { emptyObject } from './empty-objects.ts';
import { checkMicroTimes, checkPatchedMicroTimes } from './micro-times.ts';
import { APPLY_PATCH, patched } from './patch.ts';
import { scaleOf, withScale } from './scale.ts';
import { returnsDeleted } from './traits.ts';
import { checkNamespaceOf, type WriteOptions, type Writer } from './writer.ts';

/** Answers the requests that change objects. */
export class WriteRequests {
  readonly #cluster: Cluster;
  readonly #writer: Writer;
  readonly #deleter: Deleter;

  constructor(cluster: Cluster, writer: Writer, deleter: Deleter) {
    this.#cluster = cluster;
    this.#writer = writer;
    this.#deleter = deleter;
  }

  create(call: ResourceCall): ApiResponse {
    const object = this.#decoded(call);
    const { options, headers } = writeOptions(call, 'CreateOptions');
    return showObject(this.#cluster, call, 201, this.#writer.create(call.type, object, options), headers());
  }

  update(call: ResourceCall): ApiResponse {
    if (call.subresource === 'scale') return this.#scale(call, (scale) => ({ ...scale, ...parseScale(call) }));
    const object = this.#decoded(call);
    const { name = '' } = object.metadata;
    if (name !== '' && name !== call.name) badRequest(`the name of the object (${name}) does not match the name on the URL (${call.name})`);
    const { options, headers } = writeOptions(call, 'UpdateOptions');
    const named = { ...object, metadata: { ...object.metadata, name: call.name ?? '' } };
    return showObject(this.#cluster, call, 200, this.#writer.update(call.type, named, options), headers());
  }

  patch(call: ResourceCall): ApiResponse {
    const contentType = contentTypeOf(call);
    if (contentType === APPLY_PATCH) return this.#apply(call);
    if (call.subresource === 'scale') return this.#scale(call, (scale) => patched(call.type, scale, contentType, call.body));
    const current = fromStorage(call.type, find(this.#cluster, call).object);
    const { options, headers } = writeOptions(call, 'PatchOptions');
    const object = patched(call.type, current, contentType, call.body);
    if (!isMap(object) || !isMap(object.metadata)) badRequest('the patched object has no metadata');
    const { name, namespace } = current.metadata;
    if (object.metadata.name !== name)
      badRequest(`the name of the object (${object.metadata.name}) does not match the name on the URL (${name})`);
    const kept = { ...object, metadata: { ...object.metadata, ...(namespace ? { namespace } : {}) } };
    checkPatchedMicroTimes(call.type, kept);
    return showObject(this.#cluster, call, 200, this.#writer.update(call.type, kept, options), headers());
  }

  delete(call: ResourceCall): ApiResponse {
    const { type, namespace, name = '' } = call;
    const { object, gone } = this.#deleter.delete(type, namespace, name, deleteOptions(call));
    if (!gone || returnsDeleted(type)) return showObject(this.#cluster, call, 200, object);
    const { gvr } = type;
    const details = { name, ...(gvr.group === '' ? {} : { group: gvr.group }), kind: gvr.resource, uid: object.object.metadata.uid };
    const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
    return respond(200, status, call.representation);
  }

  deleteCollection(call: ResourceCall): ApiResponse {
    const { type, namespace } = call;
    const selection = selectionOf(type, parseListOptions(call));
    const options = deleteOptions(call);
    const { revision } = this.#cluster.store;
    const found = select(this.#cluster, type, namespace, selection);
    for (const { object } of found) this.#deleter.delete(type, object.metadata.namespace, object.metadata.name ?? '', options);
    const list = { kind: type.listKind, apiVersion: apiVersionOf(call), metadata: { resourceVersion: String(revision) } };
    return respond(200, { ...list, items: found.map((o) => itemOf(call, o)) }, call.representation);
  }

  getScale(call: ResourceCall): ApiResponse {
    if (call.type.custom) notImplemented('the scale subresource of custom resources');
    return respond(200, scaleOf(find(this.#cluster, call).object), call.representation);
  }

  /** An eviction is a deletion that asks first; no disruption budget stands in its way here. */
  evict(call: ResourceCall): ApiResponse {
    this.#deleter.delete(call.type, call.namespace, call.name ?? '', deleteOptions(call));
    return respond(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }, call.representation);
  }

  #decoded(call: ResourceCall): UnknownObject {
    const object = decodeObject(call, call.type);
    checkNamespaceOf(object, call.namespace);
    checkMicroTimes(call.type, object);
    return { ...object, metadata: { ...object.metadata, ...(call.namespace ? { namespace: call.namespace } : {}) } };
  }

  #scale(call: ResourceCall, change: (scale: UnknownObject) => UnknownObject): ApiResponse {
    if (call.type.custom) notImplemented('the scale subresource of custom resources');
    const current = find(this.#cluster, call).object;
    const { options } = writeOptions(call, 'UpdateOptions');
    const updated = this.#writer.update(call.type, withScale(current, change(scaleOf(current))), options);
    return respond(200, scaleOf(updated.object), call.representation);
  }

  #apply(call: ResourceCall): ApiResponse {
    const { type, namespace, name = '' } = call;
    if (!call.query.get('fieldManager')) {
      invalidOptions('PatchOptions', { field: 'fieldManager', reason: 'FieldValueRequired', detail: 'is required for apply patch' });
    }
    const configuration = decodeConfiguration(call, type);
    checkNamespaceOf(configuration, namespace);
    if (configuration.metadata.managedFields?.length) {
      badRequest('metadata.managedFields must be nil');
    }
    const { options, headers } = writeOptions(call, 'PatchOptions');
    const current = this.#cluster.store.get(type.storage, joinKey(namespace, name));
    if (!current && call.subresource) missing(type.gvr, name);
    const { resourceVersion } = configuration.metadata;
    if (resourceVersion && resourceVersion !== current?.object.metadata.resourceVersion) staleWrite(type.gvr, name);
    const named = { ...configuration, metadata: { ...configuration.metadata, name, ...(namespace ? { namespace } : {}) } };
    const live = current ? fromStorage(type, current.object) : emptyObject(type);
    const manager = { name: options.manager, operation: 'Apply' as const, subresource: call.subresource };
    const settings = { force: flag(call.query, 'force'), time: timestamp(this.#cluster.clock.now()) };
    const { object, managedFields } = applyTo(type, live, named, manager, settings);
    const write = { ...options, managedFields };
    const own = copy(object);
    const stored = current ? this.#writer.update(type, own, write) : this.#writer.create(type, own, write);
    return showObject(this.#cluster, call, current ? 200 : 201, stored, headers());
  }
}

function apiVersionOf({ type }: ResourceCall): string {
  return type.gvr.group === '' ? type.gvr.version : `${type.gvr.group}/${type.gvr.version}`;
}

function itemOf({ type }: ResourceCall, stored: StoredObject): object {
  const { kind: _kind, apiVersion: _version, ...item } = presented(type, stored).object;
  return type.custom ? stored.object : item;
}

function parseScale(call: ResourceCall): UnknownObject {
  try {
    const scale: unknown = JSON.parse(call.body.toString('utf8'));
    if (isMap(scale) && isMap(scale.metadata)) return scale as UnknownObject;
  } catch {}
  return badRequest('the object provided is unrecognized (must be of type Scale)');
}

/** The options of a write, and the warnings it gathers as the headers of its answer. */
function writeOptions(call: ResourceCall, kind: string): { options: WriteOptions; headers: () => Record<string, string> } {
  const warnings: string[] = [];
  const options: WriteOptions = {
    manager: managerOf(call),
    subresource: call.subresource,
    dryRun: isDryRun(call.query.getAll('dryRun'), kind),
    fieldValidation: fieldValidationOf(call.query.get('fieldValidation'), kind),
    warn: (text) => warnings.push(text),
  };
  const headers = () => (warnings.length === 0 ? {} : { warning: warnings.map((w) => `299 - ${JSON.stringify(w)}`).join(', ') });
  return { options, headers };
}

function isDryRun(values: readonly string[], kind: string): boolean {
  const wrong = values.find((v) => v !== 'All');
  if (wrong === undefined) return values.length > 0;
  const detail = `${JSON.stringify(wrong)}: supported values: "All"`;
  return invalid({ group: 'meta.k8s.io', kind }, '', [{ field: 'dryRun', reason: 'FieldValueNotSupported', detail }]);
}

function fieldValidationOf(value: string | null, kind: string): FieldValidation {
  if (value === null || value === '') return 'Warn';
  if (value === 'Ignore' || value === 'Warn' || value === 'Strict') return value;
  const detail = `${JSON.stringify(value)}: supported values: "Ignore", "Strict", "Warn"`;
  return invalid({ group: 'meta.k8s.io', kind }, '', [{ field: 'fieldValidation', reason: 'FieldValueNotSupported', detail }]);
}

/** From the body, or from the query where the body is empty. */
function deleteOptions(call: ResourceCall): DeleteOptions {
  const body = decodeDeleteOptions(call);
  const options = (body.deleteOptions ?? body) as Record<string, unknown>;
  const preconditions = (options.preconditions ?? {}) as { uid?: string; resourceVersion?: string };
  const grace = options.gracePeriodSeconds ?? call.query.get('gracePeriodSeconds') ?? undefined;
  const policy = options.propagationPolicy ?? call.query.get('propagationPolicy') ?? undefined;
  return {
    ...preconditions,
    gracePeriodSeconds: grace === undefined ? undefined : Number(grace),
    propagationPolicy: policy as DeleteOptions['propagationPolicy'],
    dryRun: isDryRun((options.dryRun as string[] | undefined) ?? call.query.getAll('dryRun'), 'DeleteOptions'),
  };
}
