import { copyOf } from '../kit/copy-of.ts';
import { jsonText } from '../kit/exact-json.ts';
import { patchBetween } from '../kit/json-patch.ts';
import { type AdmissionRequest, Denial, type MutateFn, type ReviewContext, type ValidateFn } from './review.ts';

/** A decision as an AdmissionReview has it. Source: api/admission/v1 AdmissionResponse. */
export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: { readonly code: number; readonly message: string; readonly reason?: string };
  readonly patchType?: 'JSONPatch';
  readonly patch?: string;
  readonly warnings?: readonly string[];
}

export async function validated(
  request: AdmissionRequest,
  decide: ValidateFn,
  signal: AbortSignal,
): Promise<AdmissionResponse> {
  return await responseTo(request, signal, async (context) => {
    const denial = await decide(request, context);
    return denial instanceof Denial ? denial : undefined;
  });
}

export async function mutated(
  request: AdmissionRequest,
  change: MutateFn,
  signal: AbortSignal,
): Promise<AdmissionResponse> {
  const before = copyOf(request.object);
  return await responseTo(request, signal, async (context) => {
    const result = await change(request, context);
    if (result instanceof Denial) return result;
    const steps = patchBetween(before, result ?? request.object);
    if (steps.length === 0) return undefined;
    return { patchType: 'JSONPatch', patch: Buffer.from(jsonText(steps) ?? '').toString('base64') };
  });
}

type Outcome = Denial | Pick<AdmissionResponse, 'patchType' | 'patch'> | undefined;

async function responseTo(
  { uid }: AdmissionRequest,
  signal: AbortSignal,
  decide: (context: ReviewContext) => Promise<Outcome>,
): Promise<AdmissionResponse> {
  const warnings: string[] = [];
  const outcome = await decide({ signal, warn: (text) => warnings.push(text) }).catch((error: unknown) => {
    if (error instanceof Denial) return error;
    throw error;
  });
  const said = warnings.length > 0 ? { warnings } : {};
  if (!(outcome instanceof Denial)) return { uid, allowed: true, ...outcome, ...said };
  const { code, message, reason } = outcome;
  return { uid, allowed: false, status: { code, message, ...(reason ? { reason } : {}) }, ...said };
}
