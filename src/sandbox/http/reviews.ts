import { type Cluster, timestamp } from '../cluster.ts';
import { decodeObject } from '../write/decode.ts';
import type { ResourceCall } from './call.ts';
import type { ApiResponse } from './exchange.ts';
import { respond } from './respond.ts';
import { notImplemented } from './statuses.ts';

/** Answers the types that are questions rather than objects. Whoever got in may do everything: there are no rules to ask. */
export function review(cluster: Cluster, call: ResourceCall): ApiResponse {
  const { kind } = call.type;
  const answer = ANSWERS[kind];
  if (!answer) return notImplemented(kind);
  const question = decodeObject(call, call.type);
  const { metadata: _metadata, status: _status, ...rest } = question;
  const apiVersion = `${call.type.gvr.group}/${call.type.gvr.version}`;
  return respond(201, { kind, apiVersion, ...rest, ...answer(cluster, call) }, call.representation);
}

const EVERYTHING = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
};

const ANSWERS: Readonly<Record<string, (cluster: Cluster, call: ResourceCall) => object>> = {
  SelfSubjectReview: ({ clock }, { user }) => ({
    metadata: { creationTimestamp: timestamp(clock.now()) },
    status: { userInfo: user },
  }),
  SelfSubjectAccessReview: () => ({ metadata: {}, status: { allowed: true } }),
  SelfSubjectRulesReview: () => ({ metadata: {}, spec: {}, status: EVERYTHING }),
};
