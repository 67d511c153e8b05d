import { managerOf, type ResourceCall, type UserInfo } from '../api/call.ts';
import type { ApiResponse } from '../api/exchange.ts';
import { respond } from '../api/respond.ts';
import { afterUpdate } from '../apply/managed-fields.ts';
import { type Cluster, timestamp } from '../cluster.ts';
import { badRequest, notImplemented } from '../status/statuses.ts';
import { decodeObject } from '../write/decode.ts';
import { ownerOf } from './authenticate.ts';
import { type Authorizer, isMaster, type RequestAttributes } from './authorizer.ts';
import type { TokenKeeper } from './token-keeper.ts';

/**
 * Answers a request for a review, a type that asks a question and is not stored. Throws 501 for a review that the
 * sandbox does not have.
 */
export function review(cluster: Cluster, authorizer: Authorizer, tokens: TokenKeeper, call: ResourceCall): ApiResponse {
  const { kind } = call.type;
  const answer = ANSWERS[kind];
  if (!answer) return notImplemented(kind);
  const { metadata: _metadata, status: _status, ...rest } = decodeObject(call, call.type);
  const apiVersion = `${call.type.gvr.group}/${call.type.gvr.version}`;
  const question: Question = { cluster, authorizer, tokens, call, spec: (rest.spec ?? {}) as ReviewSpec };
  return respond(201, { kind, apiVersion, metadata: {}, ...rest, ...answer(question) }, call.representation);
}

interface ReviewSpec {
  readonly namespace?: string;
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly resourceAttributes?: RequestAttributes & { readonly namespace?: string };
  readonly nonResourceAttributes?: RequestAttributes;
  readonly token?: string;
  readonly audiences?: readonly string[];
}

interface Question {
  readonly cluster: Cluster;
  readonly authorizer: Authorizer;
  readonly tokens: TokenKeeper;
  readonly call: ResourceCall;
  readonly spec: ReviewSpec;
}

const EVERYTHING = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
};

const ANSWERS: Readonly<Record<string, (question: Question) => object>> = {
  SelfSubjectReview: ({ cluster, call }) => ({
    metadata: { creationTimestamp: timestamp(cluster.clock.now()) },
    status: { userInfo: call.user },
  }),
  SelfSubjectAccessReview: (question) => access(question, question.call.user),
  SubjectAccessReview: (question) => access(question, subjectOf(question.spec)),
  LocalSubjectAccessReview: (question) => access(question, subjectOf(question.spec)),
  SelfSubjectRulesReview: ({ authorizer, call, spec }) => ({
    spec: {},
    status: rulesStatus(authorizer, call, spec.namespace),
  }),
  TokenReview: ({ tokens, spec }) => ({ status: tokenStatus(tokens, spec) }),
};

function tokenStatus(tokens: TokenKeeper, { token = '', audiences }: ReviewSpec): object {
  const user = ownerOf(token, tokens, audiences);
  if (!user) return { user: {}, error: 'invalid bearer token' };
  return { authenticated: true, user, ...(audiences ? { audiences } : {}) };
}

function subjectOf({ user = '', groups = [] }: ReviewSpec): UserInfo {
  return { username: user, groups };
}

function access({ cluster, authorizer, call, spec }: Question, user: UserInfo): object {
  const attempt = spec.resourceAttributes ?? spec.nonResourceAttributes;
  if (!attempt) return badRequest('must specify resourceAttributes or nonResourceAttributes');
  const reason = user === call.user && call.unrestricted ? '' : authorizer.decide(user, attempt);
  return {
    metadata: { managedFields: claimed(cluster, call, spec) },
    status: { allowed: reason !== undefined, ...(reason ? { reason } : {}) },
  };
}

/** The managedFields of a review: a real server adds them too, though it stores no review. */
function claimed({ clock }: Cluster, call: ResourceCall, spec: object): object[] {
  const writer = { name: managerOf(call), operation: 'Update' as const, subresource: undefined };
  return afterUpdate(call.type, { metadata: {}, spec: {} }, { metadata: {}, spec }, writer, timestamp(clock.now()));
}

function rulesStatus(
  authorizer: Authorizer,
  { user, unrestricted }: ResourceCall,
  namespace: string | undefined,
): object {
  if (unrestricted || isMaster(user)) return EVERYTHING;
  const rules = authorizer.rulesOf(user, namespace);
  return {
    resourceRules: rules.filter((rule) => !rule.nonResourceURLs),
    nonResourceRules: rules.filter((rule) => rule.nonResourceURLs),
    incomplete: false,
  };
}
