import type { KubeObject } from '../../model/object.ts';

/** A Lease, as far as an election uses it. Source: coordination/v1 LeaseSpec. */
export interface Lease extends KubeObject {
  spec?: LeaseSpec | null | undefined;
}

export interface LeaseSpec {
  holderIdentity?: string | null | undefined;
  leaseDurationSeconds?: number | null | undefined;
  /** RFC 3339 with six digits, as all times of a Lease. */
  acquireTime?: string | null | undefined;
  renewTime?: string | null | undefined;
  leaseTransitions?: number | null | undefined;
  strategy?: string | null | undefined;
  preferredHolder?: string | null | undefined;
}

/**
 * The holder that a Lease names, with its times. Source: client-go tools/leaderelection/resourcelock
 * LeaderElectionRecord.
 */
export interface LeaseRecord {
  /** Who leads; '' = there is no leader. */
  readonly holder: string;
  readonly durationSeconds: number;
  /** MicroTimes as they are on the wire; '' = the field is missing. */
  readonly acquireTime: string;
  readonly renewTime: string;
  /** How often the holder has changed. */
  readonly transitions: number;
  readonly strategy: string;
  readonly preferredHolder: string;
}

/** The record of a Lease. A missing field has its zero value. */
export function recordOf({ spec }: Lease): LeaseRecord {
  return {
    holder: spec?.holderIdentity ?? '',
    durationSeconds: spec?.leaseDurationSeconds ?? 0,
    acquireTime: spec?.acquireTime ?? '',
    renewTime: spec?.renewTime ?? '',
    transitions: spec?.leaseTransitions ?? 0,
    strategy: spec?.strategy ?? '',
    preferredHolder: spec?.preferredHolder ?? '',
  };
}

/** The spec of a record. An empty strategy, preferred holder or time is left out. */
export function leaseSpecOf(record: LeaseRecord): LeaseSpec {
  const { acquireTime, renewTime, strategy, preferredHolder } = record;
  return {
    holderIdentity: record.holder,
    leaseDurationSeconds: record.durationSeconds,
    ...(acquireTime === '' ? {} : { acquireTime }),
    ...(renewTime === '' ? {} : { renewTime }),
    leaseTransitions: record.transitions,
    ...(strategy === '' ? {} : { strategy }),
    ...(preferredHolder === '' ? {} : { preferredHolder }),
  };
}

/** A time as a Lease needs it: RFC 3339 with six digits of a second. Source: metav1.MicroTime. */
export function microTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000Z`;
}
