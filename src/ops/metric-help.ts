/** The meaning of each metric, for its `# HELP` line. The first lines are those of client-go and controller-runtime. */
const HELP: Readonly<Record<string, string>> = {
  workqueue_depth: 'Current depth of workqueue',
  workqueue_adds_total: 'Total number of adds handled by workqueue',
  workqueue_queue_duration_seconds: 'How long in seconds an item stays in workqueue before being requested',
  workqueue_work_duration_seconds: 'How long in seconds processing an item from workqueue takes.',
  workqueue_unfinished_work_seconds:
    "How many seconds of work has been done that is in progress and hasn't been observed by work_duration. Large values indicate stuck threads.",
  workqueue_longest_running_processor_seconds:
    'How many seconds has the longest running processor for workqueue been running.',
  workqueue_retries_total: 'Total number of retries handled by workqueue',
  controller_runtime_reconcile_total: 'Total number of reconciliations per controller',
  controller_runtime_reconcile_errors_total: 'Total number of reconciliation errors per controller',
  controller_runtime_terminal_reconcile_errors_total: 'Total number of terminal reconciliation errors per controller',
  controller_runtime_reconcile_panics_total: 'Total number of reconciliation panics per controller',
  controller_runtime_reconcile_timeouts_total: 'Total number of reconciliation timeouts per controller',
  controller_runtime_reconcile_time_seconds: 'Length of time per reconciliation per controller',
  controller_runtime_max_concurrent_reconciles: 'Maximum number of concurrent reconciles per controller',
  controller_runtime_active_workers: 'Number of currently used workers per controller',
  reflector_lists_total: 'Total number of API lists done by the reflectors',
  reflector_list_duration_seconds: 'How long an API list takes to return and decode for the reflectors',
  reflector_items_per_list: 'How many items an API list returns to the reflectors',
  reflector_watches_total: 'Total number of API watches done by the reflectors',
  reflector_short_watches_total: 'Total number of short API watches done by the reflectors',
  reflector_watch_duration_seconds: 'How long an API watch takes to return and decode for the reflectors',
  reflector_items_per_watch: 'How many items an API watch returns to the reflectors',
  informer_queued_items: 'Number of items currently queued in the FIFO.',
  informer_processing_latency_seconds: 'Time taken to process events after popping from the queue.',
  informer_store_resource_version: 'The 15 least significant digits of the resource version of the store.',
  rest_client_requests_total: 'Number of HTTP requests, partitioned by status code, method, and host.',
  rest_client_request_duration_seconds: 'Request latency in seconds. Broken down by verb, and host.',
  rest_client_rate_limiter_duration_seconds:
    'Client side rate limiter latency in seconds. Broken down by verb, and host.',
  rest_client_request_retries_total: 'Number of request retries, partitioned by status code, verb, and host.',
  leader_election_master_status:
    'Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master.',
  leader_election_slowpath_total: 'Total number of slow path exercised in renewing leader leases.',
  kubectl_informer_shards_held: 'Number of shards whose keys this replica reconciles.',
  kubectl_informer_shard_replicas: 'Number of replicas that share the shards, as this one sees it.',
  process_cpu_seconds_total: 'Total user and system CPU time spent in seconds.',
  process_cpu_user_seconds_total: 'Total user CPU time spent in seconds.',
  process_cpu_system_seconds_total: 'Total system CPU time spent in seconds.',
  process_start_time_seconds: 'Start time of the process since unix epoch in seconds.',
  process_resident_memory_bytes: 'Resident memory size in bytes.',
  nodejs_heap_size_total_bytes: 'Process heap size from Node.js in bytes.',
  nodejs_heap_size_used_bytes: 'Process heap size used from Node.js in bytes.',
  nodejs_external_memory_bytes: 'Node.js external memory size in bytes.',
  nodejs_eventloop_utilization_ratio: 'Share of the time since the last scrape in which the event loop was busy.',
  nodejs_version_info: 'Node.js version info.',
  kubectl_informer_cache_objects: 'Number of objects in the cache of an informer.',
  kubectl_informer_synced: 'Whether the initial sync of an informer is done: 1, else 0.',
  kubectl_informer_gaps_total: 'Number of intervals in which an informer may have missed changes.',
  kubectl_informer_relists_total: 'Number of lists after the initial sync, because a watch could not be resumed.',
  kubectl_informer_resumed_watches_total: 'Number of watches that continued where the one before had ended.',
  kubectl_informer_disconnected_seconds:
    'How long an informer has had no open watch; 0 while it has one. Of several sources, the longest.',
  kubectl_informer_disconnects_total:
    'Number of times that an informer lost its watch and could not open the next one.',
  kubectl_informer_last_sign_of_life_seconds:
    'Time since an informer last received a list, an event or a bookmark. Of several sources, the longest.',
  kubectl_informer_sharded_by_server:
    'Whether the API server sends only the shards of an informer: 1. 0: it sends all, and the others are left out here.',
  kubectl_informer_store_errors_total: 'Number of changes that a cache could not store completely.',
  kubectl_informer_handler_errors_total: 'Number of failures of handlers.',
  kubectl_informer_hook_runs_total: 'Number of finished runs of the hook, by how they ended.',
  kubectl_informer_hook_duration_seconds: 'Duration of a run of the hook.',
  kubectl_informer_hook_exits_total: 'Number of failed runs of an executable hook, by exit code.',
  kubectl_informer_writes_total:
    'Number of actions of the hook, by verb and by whether they were written or only shown.',
  kubectl_informer_parked_keys: 'Number of keys that are not retried until something changes.',
  kubectl_informer_info: 'The version of kubectl-informer.',
};

/** The help text of a metric. An unknown one is described by its own words. */
export function helpOf(name: string): string {
  return HELP[name] ?? name.replaceAll('_', ' ');
}
