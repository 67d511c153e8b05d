import { formatGroupVersion } from '../../model/gvr.ts';
import { joinKey } from '../../model/key.ts';
import type { ManagedFieldsEntry, ObjectMeta, UnknownObject } from '../../model/object.ts';
import { afterUpdate, type FieldManager } from '../apply/managed-fields.ts';
import { type Cluster, timestamp } from '../cluster.ts';
import { required } from '../status/field-problems.ts';
import {
  alreadyExists,
  conflict,
  forbidden,
  internal,
  invalid,
  missing,
  noUniqueName,
  staleWrite,
} from '../status/statuses.ts';
import { StoredObject } from '../store/stored-object.ts';
import { shared } from '../store/structure-sharing.ts';
import { type ApiType, hasSubresource, type JsonSchema } from '../types/api-type.ts';
import { fromStorage, toStorage } from '../types/conversion.ts';
import { copy } from '../types/copy.ts';
import {
  admitCustom,
  type FieldValidation,
  reportDecodingProblems,
  unknownField,
} from '../types/custom/custom-resource.ts';
import { unknownRules } from '../types/custom/validation-rules.ts';
import { emptyObject, fillIn } from '../types/empty-objects.ts';
import { equalJson } from '../types/equal.ts';
import { dropUnknownFields } from '../types/known-fields.ts';
import { storeQuantities } from '../types/quantity-fields.ts';
import {
  countsAnnotations,
  countsGeneration,
  guardsStatus,
  keepsMetadataAtStatus,
  needsVersionToUpdate,
} from '../types/type-strategies.ts';
import { admit, admitUpdate, initialStatus } from './admission.ts';
import { changeProblems, metadataChangeProblems } from './changes.ts';
import { setDefaults } from './defaults.ts';
import { asSent, type Gate, mutation, validation, withIdentity, withoutIdentity } from './gate.ts';
import { generatedName, newUid, tidyMetadata } from './identity.ts';
import { keepAllocated } from './service-changes.ts';
import { managedFieldsToBuildOn, withManagedFields, writableMetadata } from './updated-metadata.ts';
import { problemsOf } from './validate.ts';

export interface WriteRules {
  /** The field manager that owns what is written. */
  readonly manager: string;
  /** The subresource of the write: `status`, `scale` or `binding`. */
  readonly subresource?: string | undefined;
  /** Everything is checked and answered, nothing is stored. */
  readonly dryRun?: boolean | undefined;
  readonly fieldValidation?: FieldValidation | undefined;
  /** Problems of the written text other than unknown fields: `duplicate field "spec.foo"`. */
  readonly duplicates?: readonly string[] | undefined;
  /** Called with each warning for the client. The write goes on. */
  readonly warn?: ((text: string) => void) | undefined;
  /** The managed fields that a server-side apply computed. Without them they follow from the change. */
  readonly managedFields?: ManagedFieldsEntry[] | undefined;
  /**
   * Status, uid and creation time come from the object when it has them. For loading a cluster; requests cannot set it.
   */
  readonly fixture?: boolean | undefined;
}

/**
 * Creates and updates objects by the rules of the API: names, defaults, versions, generation, field ownership,
 * finalizers.
 *
 * Promises: each call is synchronous, so that nothing happens between its checks and the write. Errors are StatusErrors
 * with the texts of the real server. Objects belong to the writer from the call on: the caller must not keep or change
 * them.
 */
export class Writer {
  readonly #cluster: Cluster;
  readonly #loaded: Set<string>;
  readonly #gate: Gate | undefined;

  /** `loaded` is that of the writer whose objects were restored. `gate` decides about each write. */
  constructor(cluster: Cluster, loaded: Iterable<string> = [], gate?: Gate) {
    this.#cluster = cluster;
    this.#gate = gate;
    this.#loaded = new Set(loaded);
  }

  /** The uids of the objects that {@link isLoaded}. */
  get loaded(): readonly string[] {
    return [...this.#loaded];
  }

  /** Whether an object was loaded as a fixture without its owners. Its owners may be absent then. */
  isLoaded(uid: string): boolean {
    return this.#loaded.has(uid);
  }

  create(type: ApiType, object: UnknownObject, options: WriteRules): StoredObject {
    this.#dropUnknown(type, object, options);
    this.#checkNamespace(type, object.metadata);
    const metadata = this.#newMetadata(type, object.metadata, options);
    let created: UnknownObject = { kind: type.kind, apiVersion: formatGroupVersion(type.gvr), ...object, metadata };
    if (guardsStatus(type) && !options.fixture) delete created.status;
    const given = created.status !== undefined;
    this.#decode(type, created, options);
    const managedFields = options.managedFields ?? this.#ownedBy(type, emptyObject(type), created, options);
    admit(this.#cluster, type, created);
    created.metadata = tidyMetadata({ ...created.metadata, managedFields });
    created = this.#mutatedNew(type, created, object.metadata, options);
    if (guardsStatus(type) && !given) created.status = initialStatus(type, created) ?? created.status;
    if (created.status === undefined) delete created.status;
    this.#check(type, created, options);
    validation(this.#gate, { ...attemptOf(type, created, options), operation: 'CREATE', object: created });
    const key = this.#freeKey(type, created.metadata, object.metadata.name);
    if (options.fixture && metadata.uid && this.#lacksOwners(metadata)) this.#loaded.add(metadata.uid);
    const place = options.dryRun ? {} : { resourceVersion: '0' }; // the store sets the real one
    created.metadata = tidyMetadata({ ...created.metadata, ...place });
    return this.#put(type, key, created, options);
  }

  update(type: ApiType, object: UnknownObject, options: WriteRules): StoredObject {
    const { namespace, name = '' } = object.metadata;
    const key = joinKey(namespace, name);
    const current = this.#cluster.store.get(type.storage, key) ?? missing(type.gvr, name);
    this.#checkVersion(type, current, object.metadata);
    const before = withManagedFields(
      fromStorage(type, current.object),
      managedFieldsToBuildOn(current.object, object, options),
    );
    this.#dropUnknown(type, object, options);
    const given = options.fixture || options.subresource ? {} : object.metadata;
    let after = this.#candidate(type, before, object, options);
    this.#decode(type, after, options, before);
    keepAllocated(type, before, after);
    admitUpdate(this.#cluster, type, after, before);
    shareFields(before, after);
    const managedFields = options.managedFields ?? this.#ownedBy(type, before, after, options);
    after.metadata = tidyMetadata({ ...after.metadata, managedFields });
    const oldObject = fromStorage(type, current.object);
    after = this.#mutated(type, after, { oldObject, given: object.metadata }, options);
    const counts = countsGeneration(type) && !['binding', 'status'].includes(options.subresource ?? '');
    if (counts && (!equalJson(specOf(type, before), specOf(type, after)) || hasNewAnnotations(type, before, after))) {
      after.metadata.generation = (before.metadata.generation ?? 0) + 1;
    }
    after.metadata = tidyMetadata(after.metadata);
    this.#check(type, after, options, { before, given });
    if (isReviewed(options)) validation(this.#gate, { ...attemptOf(type, after, options), object: after, oldObject });
    if (changesNothing(oldObject, after)) return current;
    return this.#finishUpdate(type, current, after, options);
  }

  /** The new object as mutating admission leaves it. */
  #mutatedNew(type: ApiType, created: UnknownObject, given: ObjectMeta, options: WriteRules): UnknownObject {
    const object = this.#gate ? withoutIdentity(created, given) : created;
    const attempt = { ...attemptOf(type, object, options), operation: 'CREATE' as const, object };
    const changed = mutation(this.#gate, attempt);
    return changed ? this.#readAgain(type, withIdentity(changed, created), options) : created;
  }

  /** The changed object as mutating admission leaves it: what the client could not change stays. */
  #mutated(
    type: ApiType,
    after: UnknownObject,
    { oldObject, given }: { readonly oldObject: UnknownObject; readonly given: ObjectMeta },
    options: WriteRules,
  ): UnknownObject {
    if (!this.#gate || !isReviewed(options)) return after;
    const object = asSent(after, given);
    const changed = mutation(this.#gate, { ...attemptOf(type, after, options), object, oldObject });
    if (!changed) return after;
    const { managedFields } = after.metadata;
    const candidate = this.#candidate(type, after, changed, options);
    return this.#readAgain(type, withManagedFields(candidate, managedFields), options, after);
  }

  #readAgain(type: ApiType, object: UnknownObject, options: WriteRules, before?: UnknownObject): UnknownObject {
    dropUnknownFields(type, object);
    this.#decode(type, object, { ...options, fieldValidation: 'Ignore' }, before);
    return object;
  }

  /**
   * Removes a deleted object when its last finalizer is gone. The answer has the written object with the version
   * before.
   */
  #finishUpdate(type: ApiType, current: StoredObject, after: UnknownObject, options: WriteRules): StoredObject {
    const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = after.metadata;
    const held =
      finalizers.length > 0 || ((after.spec as { finalizers?: string[] } | undefined)?.finalizers?.length ?? 0) > 0;
    if (!deletionTimestamp || deletionGracePeriodSeconds > 0 || held)
      return this.#put(type, current.key, after, options);
    if (!options.dryRun) this.#cluster.store.remove(type.storage, current.key);
    return new StoredObject(current.key, toStorage(type, after), current.revision);
  }

  /** Whether an object has owners and none of them exists. */
  #lacksOwners({ namespace, ownerReferences = [] }: ObjectMeta): boolean {
    const { types, store } = this.#cluster;
    const isHere = ({ apiVersion, kind, name, uid }: (typeof ownerReferences)[number]) => {
      const type = types.findKind(apiVersion, kind);
      return (
        type &&
        store.get(type.storage, joinKey(type.namespaced ? namespace : undefined, name))?.object.metadata.uid === uid
      );
    };
    return ownerReferences.length > 0 && !ownerReferences.some(isHere);
  }

  /**
   * Removes and reports unknown fields of built-in types. Those of custom types are reported while they are decoded.
   */
  #dropUnknown(type: ApiType, object: UnknownObject, options: WriteRules): void {
    const unknown = dropUnknownFields(type, object).map(unknownField);
    if (!options.fixture && !type.custom)
      reportDecodingProblems(type, [...(options.duplicates ?? []), ...unknown], options);
  }

  /**
   * The key of a new object. When a generated name is in use, a few other names are tried. Source: RetryGenerateName of
   * kubernetes.
   */
  #freeKey(type: ApiType, metadata: ObjectMeta, given: string | undefined): string {
    const taken = () =>
      this.#cluster.store.get(type.storage, joinKey(metadata.namespace, metadata.name ?? '')) !== undefined;
    for (let tries = 1; !given && taken() && tries < NAME_TRIES; tries++) {
      metadata.name = generatedName(metadata.generateName ?? '', this.#cluster.random);
    }
    if (taken() && !given) noUniqueName(type.gvr, metadata.name ?? '');
    if (taken()) alreadyExists(type.gvr, metadata.name ?? '');
    return joinKey(metadata.namespace, metadata.name ?? '');
  }

  #newMetadata(type: ApiType, given: ObjectMeta, { fixture }: WriteRules): ObjectMeta {
    const { clock, random } = this.#cluster;
    const { name, generateName, labels, annotations, ownerReferences, finalizers } = given;
    if (given.resourceVersion && given.resourceVersion !== '0' && !fixture)
      internal('resourceVersion should not be set on objects to be created');
    if (!name && !generateName) {
      const detail = 'name or generateName is required';
      invalid(kindOf(type), '', [required('metadata.name', detail)]);
    }
    return tidyMetadata({
      name: name || generatedName(generateName ?? '', random),
      ...(generateName ? { generateName } : {}),
      ...(type.namespaced ? { namespace: given.namespace ?? 'default' } : {}),
      uid: (fixture && given.uid) || newUid(random),
      ...(countsGeneration(type) ? { generation: 1 } : {}),
      creationTimestamp: (fixture && given.creationTimestamp) || timestamp(clock.now()),
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(ownerReferences ? { ownerReferences } : {}),
      ...(finalizers ? { finalizers } : {}),
    });
  }

  #checkNamespace(type: ApiType, { namespace = 'default', name = '' }: ObjectMeta): void {
    if (!type.namespaced) return;
    const found = this.#cluster.store.get('namespaces', namespace);
    if (!found) missing({ group: '', resource: 'namespaces' }, namespace);
    if (!found.object.metadata.deletionTimestamp) return;
    const cause = {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    };
    forbidden(type.gvr, name, `unable to create new content in namespace ${namespace} because it is being terminated`, [
      cause,
    ]);
  }

  #checkVersion(type: ApiType, { object }: StoredObject, { uid, resourceVersion, name = '' }: ObjectMeta): void {
    if (uid && uid !== object.metadata.uid) {
      conflict(
        type.gvr,
        name,
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${object.metadata.uid}`,
      );
    }
    if (resourceVersion && resourceVersion !== object.metadata.resourceVersion) staleWrite(type.gvr, name);
    if (resourceVersion || !needsVersionToUpdate(type)) return;
    const detail = '0: must be specified for an update';
    invalid(kindOf(type), name, [{ field: 'metadata.resourceVersion', reason: 'FieldValueInvalid', detail }]);
  }

  /**
   * The object that an update would store: fields that the client can change are from the new object, the rest is from
   * the present one.
   */
  #candidate(
    type: ApiType,
    before: UnknownObject,
    object: UnknownObject,
    { subresource, fixture }: WriteRules,
  ): UnknownObject {
    const atStatus = subresource === 'status';
    const keepsMetadata = atStatus && keepsMetadataAtStatus(type);
    const metadata = keepsMetadata
      ? copy(before.metadata)
      : tidyMetadata(writableMetadata(before.metadata, object.metadata));
    if (atStatus && type.storage === 'deployments.apps') metadata.labels = before.metadata.labels ?? {};
    if (atStatus) return withStatus({ ...copy(before), metadata: tidyMetadata(metadata) }, object.status);
    const after: UnknownObject = { ...object, kind: type.kind, apiVersion: formatGroupVersion(type.gvr), metadata };
    const takesStatus = (fixture || subresource === 'binding') && object.status !== undefined;
    if (type.storage === 'namespaces' && subresource !== 'finalize') after.spec = copy(before.spec);
    return guardsStatus(type) && !takesStatus ? withStatus(after, copy(before.status)) : after;
  }

  /** Sets defaults and prunes, as decoding does. */
  #decode(type: ApiType, object: UnknownObject, options: WriteRules, before?: UnknownObject): void {
    setDefaults(type, object, this.#cluster.clock);
    storeQuantities(type, object);
    const lenient = options.fixture ? { fieldValidation: 'Ignore' as const } : {};
    if (type.custom) admitCustom(type, object, { ...options, ...lenient, before });
    fillIn(object, type);
  }

  #check(type: ApiType, object: UnknownObject, { subresource, fixture, warn }: WriteRules, change?: Change): void {
    const problems = [
      ...(subresource ? [] : problemsOf(type, object, { fixture })),
      ...(change ? metadataChangeProblems(change.before.metadata, change.given, object.metadata) : []),
      ...(change && !subresource && !fixture ? changeProblems(type, change.before, object) : []),
    ];
    if (problems.length > 0) invalid(kindOf(type), object.metadata.name ?? '', problems);
    if (type.kind === 'CustomResourceDefinition' && !subresource) warnOfRules(object, warn);
  }

  #ownedBy(
    type: ApiType,
    before: UnknownObject,
    after: UnknownObject,
    { manager, subresource }: WriteRules,
  ): ManagedFieldsEntry[] {
    const writer: FieldManager = { name: manager, operation: 'Update', subresource };
    return afterUpdate(type, before, after, writer, timestamp(this.#cluster.clock.now()));
  }

  #put(type: ApiType, key: string, object: UnknownObject, { dryRun }: WriteRules): StoredObject {
    const { kind, apiVersion, metadata, ...fields } = toStorage(type, object);
    const stored = { kind, apiVersion, metadata, ...fields } as UnknownObject; // this order makes encoding cheap
    if (!dryRun) return this.#cluster.store.put(type.storage, key, stored);
    return new StoredObject(key, stored, this.#cluster.store.get(type.storage, key)?.revision ?? 0);
  }
}

/** Warns of the rules in a definition that the sandbox cannot evaluate, and will answer with 501. */
function warnOfRules(crd: UnknownObject, warn: WriteRules['warn']): void {
  const { versions = [] } = (crd.spec ?? {}) as {
    versions?: { name: string; schema?: { openAPIV3Schema?: JsonSchema } }[];
  };
  for (const { name, schema } of warn ? versions : []) {
    for (const { rule, why } of unknownRules(schema?.openAPIV3Schema ?? {})) {
      warn?.(
        `version ${name}: the sandbox cannot evaluate the rule ${JSON.stringify(rule)} (${why}); what it applies to is answered with 501`,
      );
    }
  }
}

/** A write to an object as its gate sees it. */
function attemptOf(type: ApiType, { metadata }: UnknownObject, { subresource }: WriteRules) {
  const { namespace, name = '' } = metadata;
  return { operation: 'UPDATE' as const, type, subresource, namespace, name };
}

/** The gate sees a Binding itself, before its pod is written. */
const isReviewed = ({ subresource }: WriteRules) => subresource !== 'binding';

/** The stored object, and the metadata that the client sent. */
interface Change {
  readonly before: UnknownObject;
  readonly given: ObjectMeta;
}

/** Source: apiserver registry/generic/registry maxNameGenerationCreateAttempts. */
const NAME_TRIES = 8;

/**
 * Makes both objects share the fields that are equal, so that later steps compare them fast. Metadata is left out,
 * because it changes later.
 */
function shareFields(before: UnknownObject, after: UnknownObject): void {
  for (const name in after) if (name !== 'metadata') after[name] = shared(before[name], after[name]);
}

/**
 * Whether two states of an object are equal, except for the times of managed fields: such a write is none.
 * Source: apiserver endpoints/handlers/fieldmanager/equality.go IgnoreManagedFieldsTimestampsTransformer.
 */
function changesNothing(before: UnknownObject, after: UnknownObject): boolean {
  if (!equalJson({ ...before, metadata: null }, { ...after, metadata: null })) return false;
  const [was, is] = [before.metadata, after.metadata];
  if (!equalJson({ ...was, managedFields: null }, { ...is, managedFields: null })) return false;
  return equalJson(timeless(was.managedFields), timeless(is.managedFields));
}

function timeless(entries: readonly ManagedFieldsEntry[] = []): object[] {
  return entries.map(({ time: _time, ...entry }) => entry);
}

function kindOf({ gvr, kind }: ApiType): { group: string; kind: string } {
  return { group: gvr.group, kind };
}

function hasNewAnnotations(type: ApiType, before: UnknownObject, after: UnknownObject): boolean {
  return countsAnnotations(type) && !equalJson(before.metadata.annotations ?? {}, after.metadata.annotations ?? {});
}

function withStatus(object: UnknownObject, status: unknown): UnknownObject {
  const { status: _status, ...rest } = object;
  return status === undefined ? rest : { ...rest, status };
}

/** The fields whose changes the generation counts: all except metadata and, where it has a subresource, status. */
function specOf(type: ApiType, object: UnknownObject): object {
  const { kind: _kind, apiVersion: _version, metadata: _metadata, status, ...spec } = object;
  return type.custom && !hasSubresource(type, 'status') ? { ...spec, status } : spec;
}
