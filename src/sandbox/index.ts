export type { Fault, FaultMatch, FaultRule } from './faults/fault.ts';
export type { FaultScript } from './faults/fault-script.ts';
export { parseFaults } from './faults/parse-faults.ts';
export { type ApiRequest, type ApiResponse, bodyBytes, bodyText } from './http/exchange.ts';
export { parseManifests } from './manifests.ts';
export type { LoggedRequest, RequestLog } from './request-log.ts';
export { Sandbox, type SandboxOptions, type TypeReference } from './sandbox.ts';
export { isScenario, SCENARIO_NAMES, type ScenarioName } from './scenarios/scenarios.ts';
