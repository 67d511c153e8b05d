import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import type { UnknownObject } from '../../src/model/object.ts';
import { builtinTypes } from '../../src/sandbox/types/builtin-types.ts';
import { dropUnknownFields } from '../../src/sandbox/types/known-fields.ts';
import { decodeProtobuf } from '../../src/sandbox/write/protobuf.ts';
import { BUILD_MS, build, reasonToSkip } from './go.ts';

const SOURCE = path.join(import.meta.dirname, 'protobuf');
const skipped = reasonToSkip(SOURCE);
const folder = mkdtempSync(path.join(tmpdir(), 'protobuf-peer-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Sample {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly protobuf: string;
  readonly json: unknown;
}

/** Kinds that are sent to subresources. */
const BELOW = ['policy/v1/Eviction', 'autoscaling/v1/Scale', 'authentication.k8s.io/v1/TokenRequest'];
const nameOf = ({ group, version, kind }: Pick<Sample, 'group' | 'version' | 'kind'>) => `${group}/${version}/${kind}`;

/** Fields that this client-go still has, and the server's version has no more. */
const GONE = new Set(['workloadRef']);

function withoutGone(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutGone);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !GONE.has(name));
  return Object.fromEntries(kept.map(([name, v]) => [name, withoutGone(v)]));
}

/**
 * What the two may differ in: Go writes null for lists and bytes it has none of, and names the kind of what is within
 * an object; a body does neither.
 */
function withoutEmpty(value: unknown, depth = 0): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((v) => withoutEmpty(v, depth + 1));
  if (typeof value !== 'object' || value === null) return value === '' ? undefined : (value ?? undefined);
  const entries = Object.entries(value).map(([name, v]) => [name, withoutEmpty(v, depth + 1)] as const);
  const isWithin = 'metadata' in value || 'propagationPolicy' in value || 'preconditions' in value;
  const kept = entries.filter(
    ([name, v]) => v !== undefined && !(depth > 0 && isWithin && (name === 'kind' || name === 'apiVersion')),
  );
  return Object.fromEntries(kept);
}

describe.skipIf(skipped)(`protobuf as client-go writes it${skipped ? ` (skipped: ${skipped})` : ''}`, () => {
  it(
    'is read as the JSON it stands for, and no field of it is unknown, in every type that is served',
    async () => {
      const binary = await build(SOURCE, folder);
      const { stdout } = await promisify(execFile)(binary, ['1'], { maxBuffer: 64 * 1024 * 1024 });
      const samples = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Sample);
      const types = builtinTypes();
      const served = new Set([...types.map((t) => nameOf({ ...t.gvr, kind: t.kind })), ...BELOW]);
      served.delete('autoscaling/v1/HorizontalPodAutoscaler');
      const read = samples.filter((sample) => served.has(nameOf(sample)));
      for (const sample of read) {
        const decoded = decodeProtobuf(Buffer.from(sample.protobuf, 'base64'), sample);
        const type = types.find((t) => nameOf({ ...t.gvr, kind: t.kind }) === nameOf(sample));
        const json = withoutGone(sample.json);
        expect(type ? dropUnknownFields(type, structuredClone(json) as UnknownObject) : [], nameOf(sample)).toEqual([]);
        expect({ [nameOf(sample)]: withoutEmpty(decoded) }).toEqual({ [nameOf(sample)]: withoutEmpty(json) });
      }
      const unread = [...served].filter((name) => !read.some((sample) => nameOf(sample) === name));
      expect(unread, 'types that client-go does not know, or not yet').toEqual([
        'apiregistration.k8s.io/v1/APIService',
        'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy',
        'admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding',
        'apiextensions.k8s.io/v1/CustomResourceDefinition',
      ]);
    },
    BUILD_MS + 60_000,
  );
});
