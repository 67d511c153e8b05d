// For hooks that are modules: `import type { HookContext } from 'kubectl-informer/hooks'`.

export type { HookCallOptions, HookClient, HookResource } from './hooks/guarded-client.ts';
export { HOOK_REQUEST_VERSION, type HookRequest } from './hooks/hook.ts';
export type {
  HookAction,
  HookContext,
  HookFunction,
  HookLogLine,
  HookReply,
  HookServices,
  HookTarget,
} from './hooks/run/module.ts';
