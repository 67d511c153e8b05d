// Webhooks of admission and of CRD conversion: `import { createWebhookServer } from 'kubectl-informer/webhooks'`.

export type { BundleTargets } from './webhooks/ca-bundles.ts';
export type { CertificateFiles, CertificateSecret } from './webhooks/certificates.ts';
export {
  type AdmissionOperation,
  type AdmissionRequest,
  type ConvertAllFn,
  type ConvertFn,
  Denial,
  deny,
  type MutateFn,
  type ReviewContext,
  type ValidateFn,
} from './webhooks/review.ts';
export {
  createWebhookServer,
  type DecisionCache,
  type WebhookOptions,
  type WebhookServer,
  type WebhookServerOptions,
} from './webhooks/webhook-server.ts';
