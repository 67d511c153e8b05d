import { describe, expect, it } from 'vitest';
import { formatGroupVersion } from '../../../../src/model/gvr.ts';
import { builtinTypes } from '../../../../src/sandbox/types/builtin-types.ts';
import { allMessages, builtinMessage } from '../../../../src/sandbox/types/fields/field-table.ts';
import { EVERY_TYPE } from '../../../support/gated-types.ts';

const field = (message: string, name: string) => builtinMessage('v1', message)?.fields.get(name);

describe('the field table', () => {
  it('has every built-in kind that is served, except one old version', () => {
    const unknown = builtinTypes(EVERY_TYPE).filter((t) => !builtinMessage(formatGroupVersion(t.gvr), t.kind));
    expect(unknown.map((t) => `${formatGroupVersion(t.gvr)} ${t.kind}`)).toEqual([
      'autoscaling/v1 HorizontalPodAutoscaler',
    ]);
  });

  it('has no other kind, not even by a name that every JavaScript object has', () => {
    expect(['Nonsense', 'constructor', '__proto__'].map((kind) => builtinMessage('v1', kind))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(builtinMessage('constructor', 'Pod')).toBeUndefined();
  });

  it('has only field names that JSON can have, and only types that it has itself', () => {
    const fields = allMessages().flatMap((m) => [...m.fields.values()]);
    expect(fields.map((f) => f.name).filter((name) => !/^[$a-zA-Z][A-Za-z0-9-]*$/.test(name))).toEqual([]);
    expect(fields.map((f) => f.type.is).filter((is) => is === undefined)).toEqual([]);
  });

  it('reads all marks of its notation', () => {
    expect(field('PodSpec', 'volumes')).toMatchObject({
      number: 1,
      keys: ['name'],
      patchKey: 'name',
      patchStrategy: 'merge,retainKeys',
      required: false,
    });
    expect(field('PodSpec', 'containers')).toMatchObject({ keys: ['name'], required: true, keepsZero: true });
    expect(field('PodSpec', 'nodeSelector')).toMatchObject({ atomic: true, type: { is: 'map' } });
    expect(field('PodSpec', 'restartPolicy')?.type).toEqual({
      is: 'scalar',
      scalar: 'string',
      values: ['Always', 'Never', 'OnFailure'],
    });
    expect(field('PodSpec', 'schedulingGroup')).toMatchObject({ number: undefined, type: { is: 'message' } });
    expect(field('PodSpec', 'priority')).toMatchObject({ required: false, keepsZero: true });
    expect(builtinMessage('meta.k8s.io/v1', 'ObjectMeta')?.fields.get('finalizers')).toMatchObject({
      set: true,
      patchStrategy: 'merge',
    });
    expect(builtinMessage('apps/v1', 'DeploymentSpec')?.fields.get('strategy')?.patchStrategy).toBe('retainKeys');
    expect(builtinMessage('policy/v1', 'PodDisruptionBudgetSpec')?.fields.get('selector')?.patchStrategy).toBe(
      'replace',
    );
    expect(builtinMessage('v1', 'ObjectReference')?.atomic).toBe(true);
  });

  it('has the fields of an inline message among the own fields, and the message itself under its protobuf number', () => {
    const volume = builtinMessage('v1', 'Volume');
    expect([...(volume?.fields.keys() ?? [])].slice(0, 3)).toEqual(['name', 'hostPath', 'emptyDir']);
    expect(volume?.numbers.get(2)).toBe(builtinMessage('v1', 'VolumeSource'));
  });

  it('knows the number of a field that an earlier version had, but not the field', () => {
    const spec = builtinMessage('v1', 'PodSpec');
    expect([spec?.fields.has('workloadRef'), spec?.numbers.has(42), spec?.retired.has(42)]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('finds the type of a field in the same group first, then in core, then in metadata', () => {
    const typeOf = (apiVersion: string, message: string, name: string) => {
      const type = builtinMessage(apiVersion, message)?.fields.get(name)?.type;
      return type?.is === 'message' ? type.message.qualified : undefined;
    };
    expect(typeOf('events.k8s.io/v1', 'Event', 'series')).toBe('io.k8s.api.events.v1.EventSeries');
    expect(typeOf('events.k8s.io/v1', 'Event', 'regarding')).toBe('io.k8s.api.core.v1.ObjectReference');
    expect(typeOf('events.k8s.io/v1', 'Event', 'metadata')).toBe('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  });

  it('has messages that contain themselves', () => {
    const schema = builtinMessage('apiextensions.k8s.io/v1', 'JSONSchemaProps');
    expect(schema?.fields.get('not')?.type).toEqual({ is: 'message', message: schema });
  });
});
